"""From small masks to filled frames at full size."""

from __future__ import annotations

import numpy as np
import pytest

from models.lite.config import FillConfig
from models.lite.finish import Canvas, Finisher

BOX = np.s_[40:80, 60:140]  # of 128 x 192
FINISHER = Finisher(low=0.4, grow_px=2, fill=FillConfig())


@pytest.fixture
def covered(make_world) -> tuple[np.ndarray, np.ndarray]:
    """A moving world of 24 frames and the same under an opaque box."""
    world = make_world(3, (192, 128), 24)
    shown = world.copy()
    shown[:, 40:80, 60:140] = (250, 220, 30)
    return world, shown


def paint(shown: np.ndarray, look: np.ndarray, picture=None) -> tuple[Canvas, list[int]]:
    canvas = Canvas.over(shown, (48, 32))
    times = [0, 12, 23]
    done = list(FINISHER.paint(canvas, (0, len(shown)), look[None].repeat(3, axis=0), times, picture))
    return canvas, done


def test_a_mask_that_is_too_wide_is_trimmed_to_what_stands_still(covered) -> None:
    _, shown = covered
    look = np.zeros((32, 48), np.float32)
    look[7:23, 11:39] = 1  # 12 pixels too wide on every side
    canvas, done = paint(shown, look)
    assert done == list(range(24))
    changed = (canvas.result != shown).any(axis=(0, 3))
    assert changed[BOX].mean() > 0.95
    changed[34:86, 54:146] = False
    # The mask was wrong about 12 % of the picture: most of that goes, but for where the world stood still by chance.
    assert changed.mean() < 0.06
    assert (canvas.mask[:, 12:18, 18:32] > 200).all() and not canvas.mask[:, :6].any()
    assert (canvas.unsure[:, 14:16, 20:30] > 100).all() and not canvas.unsure[:, :6].any()


def test_the_picture_is_what_opaque_parts_show(covered) -> None:
    world, shown = covered
    look = np.zeros((32, 48), np.float32)
    look[9:21, 14:36] = 1
    imagined = world[:, ::4, ::4].astype(np.float32) + 20.0  # right but for its tone, which the border corrects
    with_picture, _ = paint(shown, look, imagined.__getitem__)
    without, _ = paint(shown, look)
    errors = [np.abs(c.result.astype(float) - world)[:, 46:74, 66:134].mean() for c in (with_picture, without)]
    assert errors[0] < 0.6 * errors[1]


def test_nothing_to_do_changes_nothing(covered) -> None:
    world, _ = covered
    canvas, done = paint(world, np.zeros((32, 48), np.float32))
    assert (canvas.result == world).all() and not canvas.mask.any() and len(done) == 24
