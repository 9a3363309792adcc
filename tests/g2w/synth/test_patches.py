from __future__ import annotations

import numpy as np
import pytest

from g2w.synth.patches import FULL, Blender, Patch, animate, divide_255, pop_scale, progress, scale_alpha, scale_patch
from g2w.ui.taxonomy import ANIMATIONS


@pytest.fixture()
def picture() -> np.ndarray:
    rgba = np.random.default_rng(1).integers(1, 255, (40, 80, 4), dtype=np.uint8)
    rgba[..., 3] = 255
    return rgba


def test_division_by_255_is_exact_rounding() -> None:
    value = np.arange(255 * 255 + 1, dtype=np.uint16)
    assert np.array_equal(divide_255(value), np.floor(value / 255 + 0.5).astype(np.uint16))


def test_blending_is_exact_for_every_color_below_and_alpha() -> None:
    blender = Blender()
    for alpha in (0, 1, 2, 76, 127, 128, 254, 255):
        below, color = np.meshgrid(np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint16))
        want = np.floor((color * float(alpha) + below * (255.0 - alpha)) / 255 + 0.5)
        got = np.repeat(below[..., None], 3, axis=2)
        blender.blend(
            got, np.repeat((color * np.uint16(alpha))[..., None], 3, axis=2), np.full(got.shape, 255 - alpha, np.uint16)
        )
        assert np.array_equal(got, np.repeat(want[..., None], 3, axis=2))
        # smaller than before, and not contiguous: the room is kept
        part = np.ascontiguousarray(np.repeat(below[..., None], 3, axis=2))[3:50, 7:90]
        blender.blend(part, np.full(part.shape, 9 * alpha, np.uint16), np.full(part.shape, 255 - alpha, np.uint16))
        assert np.array_equal(part, np.repeat(want[9, 7:90][None, :, None], 3, axis=2).repeat(47, 0))


def test_own_size_keeps_the_bytes_and_halving_is_the_block_mean(picture: np.ndarray) -> None:
    assert scale_patch(picture, 5, 7, 80, 40).rgba is picture
    half = scale_patch(picture, 3.0, 4.0, 40, 20)
    mean = picture.reshape(20, 2, 40, 2, 4).mean(axis=(1, 3))
    assert (half.x, half.y) == (3, 4) and np.abs(half.rgba - mean).max() <= 0.51


def test_color_does_not_bleed_out_of_transparent_pixels(picture: np.ndarray) -> None:
    picture[:, ::2] = (0, 255, 0, 0)
    picture[:, 1::2] = (200, 10, 20, 255)
    half = scale_patch(picture, 0, 0, 40, 20).rgba
    assert np.array_equal(half[5, 5], (200, 10, 20, 128))


def test_fractional_boxes_keep_the_total_coverage(picture: np.ndarray) -> None:
    patch = scale_patch(picture, 10.3, 20.7, 33.4, 17.9)
    assert (patch.x, patch.y) == (10, 20)
    assert patch.rgba[..., 3].sum() / 255 == pytest.approx(33.4 * 17.9, rel=0.01)


def test_progress_rises_stays_and_falls() -> None:
    values = [progress(k, 10, 50, 8, 6) for k in range(10, 50)]
    assert values[:8] == sorted(values[:8]) and set(values[8:34]) == {FULL}
    assert values[34:] == sorted(values[34:], reverse=True) and 0 < values[0] < 64 and 0 < values[-1] < 64
    assert [progress(k, 0, 5, 0, 0) for k in range(5)] == [FULL] * 5


def test_pop_overshoots_once() -> None:
    sizes = [pop_scale(k) for k in range(FULL + 1)]
    assert sizes[0] == 128 and max(sizes) == 288 and sizes[-1] == FULL


def test_animations_differ_from_each_other(picture: np.ndarray) -> None:
    looks = {}
    for name in set(ANIMATIONS) - {"pop"}:
        moved = animate(Patch(100, 30, picture), name, 120, (1280, 720))
        looks[name] = (moved.x, moved.y, moved.rgba.tobytes())
        done = animate(Patch(100, 30, picture), name, FULL, (1280, 720))
        assert (done.x, done.y) == (100, 30) and np.array_equal(done.rgba, picture)
    assert len(set(looks.values())) == 5
    assert looks["slide"][1] < 30  # the top edge is the nearest


def test_fade_is_proportional(picture: np.ndarray) -> None:
    faded = animate(Patch(0, 0, picture), "fade", 128, (1280, 720)).rgba
    assert np.array_equal(faded, scale_alpha(picture, 127)) and (faded[..., 3] == 127).all()


def test_unknown_animations_are_refused(picture: np.ndarray) -> None:
    with pytest.raises(ValueError, match="spin"):
        animate(Patch(0, 0, picture), "spin", 10, (1280, 720))
