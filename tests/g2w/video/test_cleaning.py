from __future__ import annotations

import numpy as np
import pytest

from g2w.video.cleaning import Cleaner, CleanResult


class Nothing:
    """Removes nothing."""

    name = "nothing"

    def clean(self, frames, *, progress=None):
        mask = np.zeros(frames.shape[:3], np.uint8)
        return CleanResult(frames, mask, mask)


def test_the_protocol_is_what_it_says() -> None:
    assert isinstance(Nothing(), Cleaner) and not isinstance(object(), Cleaner)
    result = Nothing().clean(np.zeros((2, 4, 6, 3), np.uint8))
    assert result.masked_share == 0.0


def test_masked_share_of_both_kinds_of_mask() -> None:
    frames = np.zeros((1, 2, 2, 3), np.uint8)
    for mask in (np.array([[[255, 0], [0, 0]]], np.uint8), np.array([[[0.9, 0.1], [0, 0.4]]], np.float32)):
        assert CleanResult(frames, mask, np.zeros((1, 2, 2), np.uint8)).masked_share == 0.25


def test_wrong_results_are_refused() -> None:
    frames, mask = np.zeros((2, 4, 6, 3), np.uint8), np.zeros((2, 4, 6), np.uint8)
    with pytest.raises(ValueError, match="uint8"):
        CleanResult(frames.astype(np.float32), mask, mask)
    with pytest.raises(ValueError, match="one picture per frame"):
        CleanResult(frames, mask[:1], mask)
