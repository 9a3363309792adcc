"""From the network's probabilities to a mask at the inner size, and the smooth pictures that the bridge starts from."""

from __future__ import annotations

import cv2
import numpy as np

from models.cleaner.config import CompositeConfig
from models.lite.smooth import extend


def clean_mask(probability: np.ndarray, config: CompositeConfig) -> np.ndarray:
    """Probability (h, w) -> soft mask (h, w) float32 in [0, 1] with exact zeros outside.

    Regions above `low` count only if they reach `min_peak` somewhere (hysteresis); the ramp low..high gives the soft
    edge and `dilate` inner pixels are added, because a rim of glyph left behind is read as the glyph.
    """
    candidates = (probability > config.low).astype(np.uint8)
    count, labels = cv2.connectedComponents(candidates, connectivity=8)
    peaks = np.zeros(count, np.float32)
    np.maximum.at(peaks, labels.ravel().astype(np.intp), probability.ravel().astype(np.float32))
    keep = peaks >= config.min_peak
    keep[0] = False
    ramp = np.clip((probability - config.low) / (config.high - config.low), 0.0, 1.0).astype(np.float32)
    mask = np.where(keep[labels], ramp, np.float32(0.0))
    if not mask.any():
        return mask
    mask = close_holes(mask, int(config.max_hole * mask.size))
    if config.dilate:
        size = 2 * config.dilate + 1
        mask = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    return mask


def smooth_over(frame: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """uint8 frame (h, w, 3) with everything under mask > 0 replaced by a smooth extension of the rest (unchanged if
    nothing is)."""
    known = (mask <= 0).astype(np.float32)
    if known.all() or not known.any():
        return frame
    filled = extend(frame.astype(np.float32), known)
    return np.where(known[..., None] > 0, frame, np.clip(np.rint(filled), 0, 255).astype(np.uint8))


def average_over_time(probability: np.ndarray, radius: int) -> np.ndarray:
    """Moving average (2 radius + 1 frames, shorter at the ends) of (T, h, w): interface stays in place, look-alikes
    move on."""
    if radius == 0 or len(probability) == 1:
        return probability
    sums = np.concatenate(
        [np.zeros_like(probability[:1], dtype=np.float64), np.cumsum(probability, axis=0, dtype=np.float64)]
    )
    index = np.arange(len(probability))
    first, last = np.maximum(index - radius, 0), np.minimum(index + radius + 1, len(probability))
    return ((sums[last] - sums[first]) / (last - first)[:, None, None]).astype(np.float32)


def combine_evidence(probability: np.ndarray, config: CompositeConfig) -> np.ndarray:
    """Interface probability (T, h, w) after looking at the neighborhood in time: the larger of the long average and the
    discounted short one. What stands still only because the camera does is forgotten as soon as the camera moves."""
    long = average_over_time(probability, config.long_radius)
    short = np.clip(average_over_time(probability, config.short_radius), 1e-4, 1.0 - 1e-4)
    discounted = 1.0 / (1.0 + np.exp(config.short_discount) * (1.0 - short) / short)
    return np.maximum(long, discounted).astype(np.float32)


def close_holes(mask: np.ndarray, max_size: int) -> np.ndarray:
    """Soft mask (h, w) with enclosed zero areas of at most `max_size` pixels set to 1: the middle of a dial is
    interface too."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats((mask <= 0).astype(np.uint8), connectivity=4)
    height, width = mask.shape
    small = stats[:, cv2.CC_STAT_AREA] <= max_size
    inside = (
        (stats[:, 0] > 0)
        & (stats[:, 1] > 0)
        & (stats[:, 0] + stats[:, 2] < width)
        & (stats[:, 1] + stats[:, 3] < height)
    )
    chosen = small & inside
    chosen[0] = False
    return np.where(chosen[labels], np.float32(1.0), mask)


def undecided(probability: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """uint8 (h, w): how undecided the interface probability (h, w) is where `mask` (h, w) > 0; 0 elsewhere."""
    return np.where(mask > 0, np.rint(255.0 * 4.0 * probability * (1.0 - probability)), 0.0).astype(np.uint8)
