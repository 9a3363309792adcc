"""Checking of what a baseline is given."""

from __future__ import annotations

import numpy as np
import pytest

from models.baselines.masks import check


def test_masks_of_the_frames_pass_and_others_do_not() -> None:
    frames, masks = np.zeros((2, 8, 9, 3), np.uint8), np.zeros((2, 8, 9), np.uint8)
    assert check(frames, masks, "x") is masks
    with pytest.raises(ValueError, match="float32"):
        check(frames, masks.astype(np.float32), "x")
    with pytest.raises(ValueError, match="pass masks="):
        check(frames, None, "x")
