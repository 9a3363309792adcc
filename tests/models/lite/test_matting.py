"""Seeing through a translucent overlay."""

from __future__ import annotations

import cv2
import numpy as np

from models.lite.matting import estimate_matte

LIMITS = {"min_transmission": 0.15, "min_activity": 4.0}


def overlaid(make_world, opacity: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Luma of a world, of the same under a panel with an opaque bar, and the panel's mask."""
    world = np.stack([cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in make_world(4, (160, 120), 36)])
    inside = np.zeros(world.shape[1:], bool)
    inside[40:90, 50:130] = True
    mixed = world.astype(np.float32)
    mixed[:, inside] = (1 - opacity) * mixed[:, inside] + opacity * 60
    mixed[:, 60:68, 70:110] = 230
    return world, np.rint(mixed).astype(np.uint8), inside


def test_transmission_is_found_and_the_world_restored(make_world) -> None:
    world, mixed, inside = overlaid(make_world, 0.6)
    matte = estimate_matte(mixed, inside, **LIMITS)
    assert matte.transmission[60:68, 74:106].max() == 0
    clear = matte.transmission[44:56, 56:124]
    assert abs(np.median(clear) - 0.4) < 0.08
    seen = matte.see_through(mixed[20].astype(np.float32))
    hit = inside & (matte.transmission > 0)
    before = np.abs(mixed[20][hit].astype(float) - world[20][hit]).mean()
    after = np.abs(seen[hit] - world[20][hit]).mean()
    assert hit.sum() > 0.5 * inside.sum() and after < 0.5 * before
    # Its texture, not only its tone.
    assert np.corrcoef(seen[hit], world[20][hit])[0, 1] > 0.8


def test_a_mask_that_is_too_wide_is_trimmed_to_the_overlay(make_world) -> None:
    _, mixed, inside = overlaid(make_world, 0.9)
    wide = cv2.dilate(inside.astype(np.uint8), np.ones((21, 21), np.uint8)) > 0
    matte = estimate_matte(mixed, wide, **LIMITS)
    assert matte.inside[inside].mean() > 0.99
    surplus = wide & ~inside
    assert matte.inside[surplus].mean() < 0.5
    assert (matte.transmission[~matte.inside] == 1).all() and (matte.gain[~matte.inside] == 1).all()


def test_a_world_that_keeps_still_tells_nothing(make_world) -> None:
    _, mixed, inside = overlaid(make_world, 0.6)
    matte = estimate_matte(np.repeat(mixed[:1], 12, axis=0), inside, **LIMITS)
    assert (matte.transmission[inside] == 0).all() and (matte.inside == inside).all()
