"""Smooth a noisy map without blurring what a picture shows sharp: the guided filter (He, Sun, Tang: TPAMI 2013)."""

from __future__ import annotations

import cv2
import numpy as np


def guided_filter(values: np.ndarray, guide: np.ndarray, radius: int, epsilon: float) -> np.ndarray:
    """In every window of 2 radius + 1 pixels the result is a linear function of the guide's color.

    Args:
        values: float32 (h, w).
        guide: float32 (h, w, 3), 0..1.
        epsilon: variance of the guide below which a window counts as flat and is averaged.

    Returns:
        float32 (h, w).
    """
    if values.shape != guide.shape[:2] or guide.shape[2:] != (3,):
        raise ValueError(f"values {values.shape} and guide {guide.shape} must be (h, w) and (h, w, 3)")
    if radius < 1 or epsilon <= 0:
        raise ValueError(f"guided_filter needs radius >= 1 and epsilon > 0, got {radius}, {epsilon}")
    mean_guide, mean_values = _box(guide, radius), _box(values, radius)
    covariance = _box(guide * values[..., None], radius) - mean_guide * mean_values[..., None]
    spread = np.empty((*values.shape, 3, 3), np.float32)
    for i in range(3):
        for j in range(i, 3):
            products = _box(guide[..., i] * guide[..., j], radius) - mean_guide[..., i] * mean_guide[..., j]
            spread[..., i, j] = spread[..., j, i] = products
    spread += epsilon * np.eye(3, dtype=np.float32)
    slope = np.linalg.solve(spread, covariance[..., None])[..., 0]
    offset = mean_values - np.einsum("hwc,hwc->hw", slope, mean_guide)
    return np.asarray(np.einsum("hwc,hwc->hw", _box(slope, radius), guide) + _box(offset, radius), dtype=np.float32)


def _box(values: np.ndarray, radius: int) -> np.ndarray:
    side = 2 * radius + 1
    return np.asarray(cv2.blur(values, (side, side), borderType=cv2.BORDER_REFLECT))
