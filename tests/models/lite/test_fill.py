"""Filling one region."""

from __future__ import annotations

import cv2
import numpy as np

from models.lite.config import FillConfig
from models.lite.fill import fill_region, luma
from models.lite.matting import estimate_matte


def test_only_the_inside_changes_and_a_plain_world_comes_back() -> None:
    truth = np.full((60, 80, 3), (120, 90, 40), np.uint8)
    crop, inside = truth.copy(), np.zeros((60, 80), bool)
    inside[20:40, 20:60] = True
    crop[22:38, 22:58] = 255
    filled, unsure = fill_region(crop, inside, None, FillConfig())
    assert np.array_equal(filled[~inside], crop[~inside])
    assert np.abs(filled.astype(int) - truth).max() <= 1
    assert not unsure[~inside].any() and unsure[30, 40] > 150


def test_an_overlay_that_lets_light_through_gives_texture_and_certainty(make_world) -> None:
    world = make_world(7, (160, 120), 36)
    inside = np.zeros((120, 160), bool)
    inside[40:90, 50:130] = True
    mixed = world.astype(np.float32)
    mixed[:, inside] = 0.4 * mixed[:, inside] + 0.6 * np.float32((20, 60, 90))
    mixed = np.rint(mixed).astype(np.uint8)
    stack = np.stack([cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in mixed])
    matte = estimate_matte(stack, inside, min_transmission=0.15, min_activity=4.0)
    config = FillConfig()
    seen, doubt = fill_region(mixed[18], inside, matte, config)
    smooth, blind = fill_region(mixed[18], inside, None, config)
    error = [np.abs(luma(each) - luma(world[18]))[inside].mean() for each in (seen, smooth, mixed[18])]
    assert error[0] < 0.7 * error[1] and error[0] < 0.7 * error[2]
    assert doubt[inside].mean() < 0.6 * blind[inside].mean()
