from __future__ import annotations

import numpy as np
import pytest

from g2w.ui.guided import guided_filter


def _scene() -> tuple[np.ndarray, np.ndarray]:
    truth = np.zeros((40, 60), np.float32)
    truth[:, 30:] = 1.0
    guide = np.stack([truth * 0.5, 1 - truth, truth * 0 + 0.3], axis=-1).astype(np.float32)
    return truth, guide


def test_noise_goes_and_the_edge_of_the_guide_stays() -> None:
    truth, guide = _scene()
    noisy = truth + np.random.default_rng(0).normal(0, 0.2, truth.shape).astype(np.float32)
    out = guided_filter(noisy, guide, 3, 1e-4)
    assert np.abs(out - truth).mean() < 0.25 * np.abs(noisy - truth).mean()
    assert out[20, 28] < 0.15 and out[20, 31] > 0.85


def test_a_flat_guide_averages_and_a_constant_stays() -> None:
    values = np.arange(100, dtype=np.float32).reshape(10, 10)
    flat = np.full((10, 10, 3), 0.5, np.float32)
    assert guided_filter(values, flat, 2, 1e-3)[5, 5] == pytest.approx(values[1:10, 1:10].mean(), abs=1.0)
    np.testing.assert_allclose(guided_filter(np.ones((10, 10), np.float32), flat, 2, 1e-3), 1, atol=1e-5)


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match=r"\(h, w, 3\)"):
        guided_filter(np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32), 1, 1e-3)
    with pytest.raises(ValueError, match="radius"):
        guided_filter(np.zeros((4, 4), np.float32), np.zeros((4, 4, 3), np.float32), 0, 1e-3)
