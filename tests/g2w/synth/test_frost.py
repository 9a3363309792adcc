from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from g2w.synth.frost import frost_shape, lay_frost
from g2w.synth.patches import Blender, box_blur


def test_box_blur_is_the_rounded_mean() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (40, 30, 3), dtype=np.uint8)
    want = np.floor(uniform_filter(picture.astype(np.float64), (5, 5, 1), mode="nearest") + 0.5 + 1e-9)
    assert np.array_equal(box_blur(picture, 2), want)


@pytest.mark.parametrize("outside", ["edge", "constant"])
@pytest.mark.parametrize("channels", [1, 3])
def test_box_blur_is_exact_at_every_radius(outside: str, channels: int) -> None:
    """Against sums of whole numbers: a vector shortcut of a library would show here."""
    picture = np.random.default_rng(0).integers(0, 256, (61, 83, channels), dtype=np.uint8).squeeze()
    for radius in range(1, 26):
        sums = np.pad(picture.astype(np.int64), [(radius, radius)] * 2 + [(0, 0)] * (picture.ndim - 2), mode=outside)
        for axis in (0, 1):
            sums = np.lib.stride_tricks.sliding_window_view(sums, 2 * radius + 1, axis=axis).sum(axis=-1)
        want = (2 * sums + (2 * radius + 1) ** 2) // (2 * (2 * radius + 1) ** 2)
        assert np.array_equal(box_blur(picture, radius, outside=outside), want), radius


def test_frost_changes_only_what_lies_under_it() -> None:
    before = np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    picture, shape = before.copy(), np.zeros((20, 30, 3), np.uint16)
    shape[4:16, 5:25] = 255
    lay_frost(picture, 10, 12, shape, 255 - shape, 3, Blender())
    inside = np.zeros((60, 80), bool)
    inside[16:28, 15:35] = True
    assert np.array_equal(picture[~inside], before[~inside])
    assert picture[inside].std() < 0.5 * before[inside].std()
    soft = box_blur(box_blur(before, 3), 3)  # the surroundings are seen: equal to the blur of the whole picture
    assert np.array_equal(picture[inside], soft[inside])


def test_thin_alpha_frosts_in_part() -> None:
    shape = frost_shape(np.array([[0, 10, 85, 255]], np.uint8))
    assert shape.tolist() == [[0, 30, 255, 255]]
    flat = np.zeros((8, 8, 3), np.uint8)
    flat[:, ::2] = 200
    picture = flat.copy()
    shape = np.full((8, 8, 3), 51, np.uint16)
    lay_frost(picture, 0, 0, shape, 255 - shape, 1, Blender())
    blurred = box_blur(box_blur(flat, 1), 1).astype(int)
    assert np.array_equal(picture, (blurred * 51 + flat.astype(int) * 204 + 127) // 255)
