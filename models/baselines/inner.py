"""Fill with the true masks at a model's inner size: what a low-resolution remover could reach with perfect masks."""

from __future__ import annotations

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.baselines.masks import check, fill_frames
from models.lite.smooth import extend


class OracleFillInner:
    """Shrink, continue the world smoothly over the true mask, enlarge, paste through the true mask."""

    name = "oracle-fill-inner"

    def __init__(self, *, size: tuple[int, int] = (256, 144), grow_px: int = 2, num_threads: int = 1) -> None:
        """`size` is the inner (width, height); `grow_px` full-size pixels are added around the mask."""
        if min(size) < 8 or grow_px < 0:
            raise ValueError(f"{self.name} needs a size of at least 8 x 8 and grow_px >= 0, got {size}, {grow_px}")
        self.size, self.grow_px, self.num_threads = size, grow_px, num_threads

    def clean(
        self, frames: np.ndarray, masks: np.ndarray | None = None, *, progress: Progress | None = None
    ) -> CleanResult:
        """Fill uint8 RGB frames (T, H, W, 3) where `masks` uint8 (T, H, W) exceeds 5 of 255.

        The mask of the result is the grown one; all of it counts as uncertain. Raises ValueError for other shapes.
        """
        checked = check(frames, masks, self.name)
        return fill_frames(
            frames, checked, self._fill, grow_px=self.grow_px, num_threads=self.num_threads, progress=progress
        )

    def _fill(self, frame: np.ndarray, hole: np.ndarray) -> np.ndarray:
        """The whole frame through the inner size, uint8 (H, W, 3)."""
        small = cv2.resize(frame, self.size, interpolation=cv2.INTER_AREA).astype(np.float32)
        # An inner pixel that holds any interface is unknown.
        known = (cv2.resize(hole, self.size, interpolation=cv2.INTER_AREA) == 0).astype(np.float32)
        filled = extend(small, known)
        large = cv2.resize(filled, (frame.shape[1], frame.shape[0]), interpolation=cv2.INTER_CUBIC)
        return np.clip(np.rint(large), 0, 255).astype(np.uint8)
