"""True masks as the baselines take them."""

from __future__ import annotations

import numpy as np

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
