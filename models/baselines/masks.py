"""True masks as the baselines take them, and the walk over the frames that they share."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress

MASK_LEVEL = 5
"""Alpha coverage (of 255) above which a pixel belongs to the interface, as in the benchmark."""


def check(frames: np.ndarray, masks: np.ndarray | None, name: str) -> np.ndarray:
    """The masks, after both arrays were checked.

    Raises:
        ValueError: if frames are not uint8 (T, H, W, 3), or the masks are missing or not uint8 (T, H, W).
    """
    check_frames(frames)
    if masks is None:
        raise ValueError(f"{name} fills given masks: pass masks=uint8 of shape {frames.shape[:3]}")
    if masks.shape != frames.shape[:3] or masks.dtype != np.uint8:
        raise ValueError(f"{name} needs masks uint8 {frames.shape[:3]}, got {masks.dtype} {masks.shape}")
    return masks


def check_frames(frames: np.ndarray) -> None:
    """Raise ValueError unless `frames` is uint8 RGB (T, H, W, 3) with T >= 1."""
    if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[-1] != 3 or len(frames) < 1:
        raise ValueError(f"frames must be uint8 RGB (T, H, W, 3) with T >= 1, got {frames.dtype} {frames.shape}")


def fill_frames(
    frames: np.ndarray,
    masks: np.ndarray,
    fill: Callable[[np.ndarray, np.ndarray], np.ndarray],
    *,
    grow_px: int,
    num_threads: int,
    progress: Progress | None,
) -> CleanResult:
    """Replace what the grown masks cover by `fill(frame, hole)`, frame by frame.

    Args:
        frames, masks: checked arrays, uint8 (T, H, W, 3) and (T, H, W).
        fill: frame (H, W, 3) and hole (H, W; 255 = unknown) -> a frame of which only the hole is used.
        grow_px: pixels added around the mask, where compression has spread the interface.

    Returns:
        The mask of the result is the grown one; all of it counts as uncertain, because it was never seen.
    """
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * grow_px + 1,) * 2)
    result, holes = frames.copy(), np.empty_like(masks)
    before = cv2.getNumThreads()
    cv2.setNumThreads(num_threads)
    try:
        for index, mask in enumerate(masks):
            hole = cv2.dilate(np.where(mask > MASK_LEVEL, 255, 0).astype(np.uint8), kernel)
            if hole.any():
                inside = hole > 0
                result[index][inside] = fill(frames[index], hole)[inside]
            holes[index] = hole
            if progress is not None:
                progress(index + 1, len(frames))
    finally:
        cv2.setNumThreads(before)
    return CleanResult(frames=result, mask=holes, uncertainty=holes.copy())
