"""Smooth extension of pictures into holes: a push-pull pyramid, linear in the number of pixels, no iterations."""

from __future__ import annotations

import cv2
import numpy as np

_EPSILON = 1e-4


def extend(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Continue `values` smoothly from where `known` is positive into where it is 0.

    Args:
        values: float32 (h, w) or (h, w, c); what stands where `known` is 0 does not matter (but must be finite).
        known: float32 (h, w), weight of each pixel in [0, 1].

    Returns:
        float32 of the shape of `values`: kept where known = 1, blended between, smooth where it is 0; zeros if nothing
        is known at all.
    """
    flat = values.ndim == 2
    planes = values[..., None] if flat else values
    levels = [(planes * known[..., None], known)]
    while min(levels[-1][1].shape) > 1 and not levels[-1][1].min() > 0.5:
        total, weight = levels[-1]
        levels.append((_shrink(total), _shrink(weight[..., None])[..., 0]))
    total, weight = levels[-1]
    filled = total / np.maximum(weight, _EPSILON)[..., None]
    for total, weight in levels[-2::-1]:
        size = (weight.shape[1], weight.shape[0])
        coarse = cv2.resize(filled, size, interpolation=cv2.INTER_LINEAR).reshape(total.shape)
        share = np.minimum(weight, 1.0)[..., None]
        filled = total * (share / np.maximum(weight, _EPSILON)[..., None]) + (1.0 - share) * coarse
    return filled[..., 0] if flat else filled


def _shrink(planes: np.ndarray) -> np.ndarray:
    """Half the size, by averages of 2 x 2; odd sides repeat their last line."""
    height, width, channels = planes.shape
    if height % 2 or width % 2:
        planes = cv2.copyMakeBorder(planes, 0, height % 2, 0, width % 2, cv2.BORDER_REPLICATE)
    size = ((width + 1) // 2, (height + 1) // 2)
    return cv2.resize(planes, size, interpolation=cv2.INTER_AREA).reshape(size[1], size[0], channels)
