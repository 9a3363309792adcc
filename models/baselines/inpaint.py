"""OpenCV inpainting with the true masks: what a mask-based classic reaches when somebody draws perfect masks."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.baselines.masks import check, fill_frames

_CONTEXT_PX = 16
_METHODS = {"telea": cv2.INPAINT_TELEA, "ns": cv2.INPAINT_NS}


class OpenCVInpaint:
    """Telea (2004) or Navier-Stokes inpainting, frame by frame."""

    name = "opencv-inpaint"

    def __init__(
        self,
        method: Literal["telea", "ns"] = "telea",
        *,
        radius_px: float = 3.0,
        grow_px: int = 2,
        num_threads: int = 1,
    ) -> None:
        """`grow_px` pixels are added around the mask, where compression has spread the interface."""
        if method not in _METHODS or radius_px <= 0 or grow_px < 0:
            raise ValueError(
                f"need method in {sorted(_METHODS)}, radius_px > 0, grow_px >= 0, got {method}, {radius_px}, {grow_px}"
            )
        self.method, self.radius_px, self.grow_px, self.num_threads = method, radius_px, grow_px, num_threads

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
        """One connected hole after another: the time goes with the area that is looked at."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats(hole, connectivity=8)
        result = frame.copy()
        for label in range(1, count):
            x, y, w, h = (int(v) for v in stats[label, :4])
            rows = slice(max(0, y - _CONTEXT_PX), y + h + _CONTEXT_PX)
            columns = slice(max(0, x - _CONTEXT_PX), x + w + _CONTEXT_PX)
            # Other holes in the window are holes too, but their fill comes from their own window.
            filled = cv2.inpaint(frame[rows, columns], hole[rows, columns], self.radius_px, _METHODS[self.method])
            own = labels[rows, columns] == label
            result[rows, columns][own] = filled[own]
        return result
