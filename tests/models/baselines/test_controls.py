"""Copy and black boxes."""

from __future__ import annotations

import numpy as np
import pytest

from models.baselines import BlackBoxes, CopyInput


def test_copy_changes_nothing() -> None:
    frames = np.random.default_rng(0).integers(0, 255, (3, 20, 30, 3), dtype=np.uint8)
    result = CopyInput().clean(frames)
    assert np.array_equal(result.frames, frames) and result.frames is not frames and not result.mask.any()
    with pytest.raises(ValueError, match="uint8 RGB"):
        CopyInput().clean(frames[0])


def test_boxes_are_black_with_their_margin_and_nothing_else_changes() -> None:
    frames = np.full((2, 40, 60, 3), 200, np.uint8)
    result = BlackBoxes([[(10, 12, 8, 6)], [(0, 0, 4, 4)]], margin_px=2).clean(frames)
    black = (result.frames == 0).all(axis=-1)
    assert black[0].sum() == 12 * 10 and black[0, 10:20, 8:20].all()
    assert black[1].sum() == 6 * 6 and np.array_equal(black, result.mask > 0)
    assert (result.frames[~black] == 200).all()
    with pytest.raises(ValueError, match="3 frames"):
        BlackBoxes([[], [], []]).clean(frames)
