"""Is a picture text? Thin strokes of one height that stand in lines: a cue without a recognizer and without weights.

A recognizer was weighed and left out: rapidocr (Apache-2.0, 15-27 MB with its models) requires opencv-python, which writes
over the headless build that everything here uses.
"""

from __future__ import annotations

import cv2
import numpy as np

_STROKE = 5
"""Side of the filter that finds strokes, pixels: letters 5 to 16 pixels high have thinner ones."""
_HEIGHTS = (4, 16)
_LEAST_CONTRAST = 12
_CONTRAST_SHARE = 0.35
_ALIKE = 1.6
_NEIGHBORS = 2


def text_share(gray: np.ndarray) -> float:
    """Share of the box that lines of text take.

    Args:
        gray: uint8 (h, w), the element at half size (640x360 of the screen), its background averaged out.

    Returns:
        0 (no text) .. 1.
    """
    if gray.dtype != np.uint8 or gray.ndim != 2:
        raise ValueError(f"text_share needs a uint8 (h, w) picture, got {gray.dtype} {gray.shape}")
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_STROKE, _STROKE))
    share = 0.0
    for operation in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT):  # bright letters, dark letters
        strokes = cv2.morphologyEx(gray, operation, kernel)
        threshold = max(_LEAST_CONTRAST, _CONTRAST_SHARE * float(strokes.max(initial=0)))
        _, _, stats, centers = cv2.connectedComponentsWithStats((strokes > threshold).astype(np.uint8), connectivity=8)
        share = max(share, _lines(stats[1:], centers[1:], gray.shape))
    return share


def _lines(stats: np.ndarray, centers: np.ndarray, shape: tuple[int, ...]) -> float:
    """Share of the picture covered by components that have neighbors like themselves in their row."""
    heights, widths = stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_WIDTH]
    letters = (heights >= _HEIGHTS[0]) & (heights <= _HEIGHTS[1]) & (widths <= 3 * heights)
    stats, centers, heights = stats[letters], centers[letters], heights[letters].astype(float)
    if len(stats) <= _NEIGHBORS:
        return 0.0
    gap = np.abs(centers[:, None] - centers[None])
    alike = np.maximum(heights[:, None], heights[None]) <= _ALIKE * np.minimum(heights[:, None], heights[None])
    near = alike & (gap[..., 1] <= 0.5 * heights[:, None]) & (gap[..., 0] <= 3 * heights[:, None])
    covered = np.zeros(shape[:2], np.uint8)
    for x, y, w, h, _ in stats[near.sum(axis=1) > _NEIGHBORS]:  # each is its own neighbor, too
        covered[y : y + h, max(0, x - h // 3) : x + w + h // 3] = 1
    return float(covered.mean())
