"""The input as it is, and black boxes over the truth: systems whose scores are known before they are judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.baselines.masks import check_frames


class CopyInput:
    """Changes nothing."""

    name = "copy-input"

    def clean(
        self, frames: np.ndarray, masks: np.ndarray | None = None, *, progress: Progress | None = None
    ) -> CleanResult:
        """A copy of uint8 RGB frames (T, H, W, 3); masks are ignored, and the result's are empty."""
        check_frames(frames)
        if progress is not None:
            progress(len(frames), len(frames))
        empty = np.zeros(frames.shape[:3], np.uint8)
        return CleanResult(frames=frames.copy(), mask=empty, uncertainty=empty.copy())


class BlackBoxes:
    """Paints given boxes black: everything removed, nothing restored.

    `boxes[t]` holds the (x, y, w, h) of frame t in pixels; each is grown by `margin_px`, so that its own border cannot
    pass for the element's.
    """

    name = "black-boxes"

    def __init__(self, boxes: Sequence[Sequence[tuple[int, int, int, int]]], *, margin_px: int = 8) -> None:
        if margin_px < 0:
            raise ValueError(f"margin_px must be 0 or more, got {margin_px}")
        self.boxes, self.margin_px = boxes, margin_px

    def clean(
        self, frames: np.ndarray, masks: np.ndarray | None = None, *, progress: Progress | None = None
    ) -> CleanResult:
        """Paint uint8 RGB frames (T, H, W, 3); masks are ignored. Raises ValueError unless T lists of boxes."""
        check_frames(frames)
        if len(self.boxes) != len(frames):
            raise ValueError(f"black-boxes was given boxes of {len(self.boxes)} frames for a clip of {len(frames)}")
        painted = np.zeros(frames.shape[:3], np.uint8)
        result, m = frames.copy(), self.margin_px
        for index, boxes in enumerate(self.boxes):
            for x, y, w, h in boxes:
                painted[index, max(0, y - m) : y + h + m, max(0, x - m) : x + w + m] = 255
            result[index][painted[index] > 0] = 0
            if progress is not None:
                progress(index + 1, len(frames))
        return CleanResult(frames=result, mask=painted, uncertainty=painted.copy())
