from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from g2w.ui.evaluate_matte import alpha_errors
from g2w.ui.matting import (
    MatteReason,
    MattingConfig,
    alpha_error,
    crop_box,
    moving_subset,
    solve_matte,
    solve_with_twin,
)

SIZE = (80, 120)


def _case(alpha: np.ndarray, seed: int = 0, num_frames: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlay of a known alpha on smooth random backgrounds: crops, backgrounds, inside."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 255, (num_frames, 20, 30, 3)).astype(np.float64)
    background = coarse.repeat(4, 1).repeat(4, 2)
    color = np.array([220.0, 60.0, 40.0])
    crops = alpha[..., None] * color + (1 - alpha[..., None]) * background
    inside = np.zeros(SIZE, bool)
    inside[20:60, 30:90] = True
    return np.rint(crops).astype(np.uint8), np.rint(background).astype(np.uint8), inside


def _plate(value: float) -> np.ndarray:
    alpha = np.zeros(SIZE)
    alpha[24:56, 34:86] = value
    alpha[34:46, 44:76] = 1.0
    return alpha


@pytest.mark.parametrize("value", [0.5, 0.75, 1.0])
def test_known_alpha_is_recovered_without_the_background(value: float) -> None:
    alpha = _plate(value)
    crops, _, inside = _case(alpha)
    matte = solve_matte(crops, inside)
    assert matte.reason is None and matte.rgba is not None and matte.rgba.shape == (40, 60, 4)
    truth = alpha[20:60, 30:90]
    got = matte.rgba[..., 3] / 255
    assert np.abs(got - truth).mean() < 0.06
    solid = np.zeros(truth.shape, bool)
    solid[17:23, 17:43] = True  # two pixels inside the opaque core: the solver smooths over 3 x 3 pixels
    assert truth[solid].min() == 1.0 and got[solid].min() == 1.0
    assert got[truth == 0].mean() < 0.08
    assert np.abs(matte.rgba[20, 30, :3].astype(int) - (220, 60, 40)).max() <= 6


def test_edges_stay_sharp_and_a_glow_stays_soft() -> None:
    alpha = _plate(1.0)
    for distance in range(1, 4):  # a glow of three pixels around the plate
        alpha[24 - distance : 56 + distance, 34 - distance : 86 + distance] = np.maximum(
            alpha[24 - distance : 56 + distance, 34 - distance : 86 + distance], 1 - 0.25 * distance
        )
    crops, _, inside = _case(alpha)
    matte = solve_matte(crops, inside)
    assert matte.rgba is not None
    got = matte.rgba[20, :, 3] / 255  # the middle row: x from 30
    assert got[4] > 0.9 and got[0] < 0.2
    assert got[0] < got[1] < got[2] < got[3] < got[4], "the glow falls off outwards"
    errors = alpha_errors(matte.rgba[..., 3].astype(np.float32) / 255, alpha[20:60, 30:90])
    assert errors["edge"][0] / errors["edge"][1] < 0.15


def test_with_a_twin_alpha_and_color_are_exact() -> None:
    alpha = _plate(0.37)
    crops, background, _ = _case(alpha)
    rgba = solve_with_twin(crops, background)
    assert np.abs(rgba[..., 3] / 255 - alpha).max() < 0.02
    assert np.abs(rgba[30, 40, :3].astype(int) - (220, 60, 40)).max() <= 4
    assert alpha_error(rgba, rgba) == 0.0


def test_unidentifiable_elements_are_refused_with_a_reason() -> None:
    crops, _, inside = _case(_plate(0.6))
    small = np.zeros(SIZE, bool)
    small[40:44, 40:44] = True
    still = np.repeat(crops[:1], 30, axis=0)
    assert solve_matte(crops[:5], inside).reason is MatteReason.TOO_FEW_FRAMES
    assert solve_matte(crops, small).reason is MatteReason.TOO_SMALL
    assert solve_matte(still, inside).reason is MatteReason.BACKGROUND_STATIC
    assert solve_matte(crops, inside, taken=~inside).reason is MatteReason.NO_SURROUNDINGS
    assert solve_matte(_case(np.zeros(SIZE))[0], inside).reason is MatteReason.NOTHING_OPAQUE
    one_cut = np.concatenate([still[:20], np.repeat(crops[1:2], 20, axis=0)])
    one_cut = np.clip(one_cut + np.random.default_rng(1).normal(0, 14, one_cut.shape), 0, 255).astype(np.uint8)
    sure = replace(MattingConfig(), kept_share=1.0)
    assert solve_matte(one_cut, inside, sure).reason is MatteReason.BACKGROUNDS_ALIKE
    flicker = crops.copy()
    flicker[::2, 20:60, 30:90], flicker[1::2, 20:60, 30:90] = 0, 255
    assert solve_matte(flicker, inside).reason is MatteReason.CONTENT_CHANGES


def test_repeated_backgrounds_are_left_out() -> None:
    crops, _, inside = _case(_plate(1.0), num_frames=60)
    twice = crops.repeat(2, axis=0)
    assert len(moving_subset(twice, ~inside, most=1000)) == 60
    assert len(moving_subset(twice, ~inside, most=20)) == 20


def test_crop_boxes_stay_on_the_screen() -> None:
    assert crop_box((5, 700, 30, 20), 28, (1280, 720)) == (0, 672, 63, 720)
    with pytest.raises(ValueError, match="margin"):
        MattingConfig(margin=1)
