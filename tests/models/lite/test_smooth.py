"""Smooth extension into holes."""

from __future__ import annotations

import numpy as np

from models.lite.smooth import extend


def test_known_pixels_stay_and_a_constant_is_continued() -> None:
    values = np.full((37, 53), 90.0, np.float32)
    known = np.ones_like(values)
    known[5:30, 10:50] = 0
    values[known == 0] = 1e4
    filled = extend(values, known)
    assert np.allclose(filled, 90.0, atol=1e-2)


def test_a_ramp_is_continued_between_its_ends() -> None:
    ramp = np.repeat(np.linspace(0, 200, 96, dtype=np.float32)[None], 64, axis=0)
    known = np.ones_like(ramp)
    known[16:48, 30:66] = 0
    filled = extend(np.stack([ramp, 200 - ramp], axis=-1), known)
    assert filled.shape == (64, 96, 2)
    assert np.array_equal(filled[known > 0][:, 0], ramp[known > 0])
    assert np.abs(filled[..., 0] - ramp).max() < 45
    # Left of the hole's middle is darker than right of it.
    assert filled[32, 35, 0] < filled[32, 47, 0] < filled[32, 60, 0]


def test_nothing_known_gives_zeros_and_single_pixels_work() -> None:
    assert not extend(np.full((9, 9), 5.0, np.float32), np.zeros((9, 9), np.float32)).any()
    assert extend(np.full((1, 1), 5.0, np.float32), np.ones((1, 1), np.float32))[0, 0] == 5.0
