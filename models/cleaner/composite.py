"""Pasting the inner result at full size: only where the predicted interface is, so that all else stays the source's own
bytes."""

from __future__ import annotations

import cv2
import numpy as np

from models.cleaner.config import CompositeConfig

_FEATHER = 1e-3


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


def fill_holes(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Smooth extension of `values` (h, w, c) from where `weight` (h, w) is 1 into where it is 0 (push-pull pyramid)."""
    sums, weights = [values * weight[..., None]], [weight]
    while min(weights[-1].shape) > 1:
        sums.append(cv2.pyrDown(sums[-1]).reshape(-1, (sums[-1].shape[1] + 1) // 2, values.shape[2]))
        weights.append(cv2.pyrDown(weights[-1]))
    filled = sums[-1] / np.maximum(weights[-1][..., None], 1e-6)
    for total, level in zip(sums[-2::-1], weights[-2::-1], strict=True):
        coarse = cv2.pyrUp(filled, dstsize=(level.shape[1], level.shape[0])).reshape(*level.shape, values.shape[2])
        share = np.minimum(level, 1.0)[..., None]
        filled = (
            np.where(level[..., None] > 1e-6, share * total / np.maximum(level[..., None], 1e-6), 0.0)
            + (1.0 - share) * coarse
        )
    return filled.astype(np.float32)


def smooth_over(frame: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """uint8 frame (h, w, 3) with everything under mask > 0 replaced by a smooth extension of the rest (unchanged if
    nothing is)."""
    known = (mask <= 0).astype(np.float32)
    if known.all() or not known.any():
        return frame
    filled = fill_holes(frame.astype(np.float32), known)
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


def blend_seamlessly(source: np.ndarray, output: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Fill (h, w, 3) float32: the model's output plus the smooth extension of (source - output) from outside the mask.

    The codec and the model shift tones a little; continuing the error at the border into the region removes the seam
    and keeps the model's texture (membrane interpolation as in Poisson image editing).
    """
    known = (mask <= 0).astype(np.float32)
    if not known.any():
        return output.astype(np.float32)
    difference = source.astype(np.float32) - output.astype(np.float32)
    return output.astype(np.float32) + fill_holes(difference, known)


def paste(frame: np.ndarray, fill: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Full-size uint8 frame (H, W, 3) with `fill` (h, w, 3) pasted through `mask` (h, w), both enlarged linearly.

    Works in the bounding boxes of the mask's regions only. Pixels whose enlarged mask is 0 keep the frame's bytes.
    """
    height, width = frame.shape[:2]
    result = frame.copy()
    scale_x, scale_y = width / mask.shape[1], height / mask.shape[0]
    alpha_full = cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR)
    for x0, y0, x1, y1 in _regions(mask):
        top, bottom = int(max(0, (y0 - 1) * scale_y)), int(min(height, np.ceil((y1 + 1) * scale_y)))
        left, right = int(max(0, (x0 - 1) * scale_x)), int(min(width, np.ceil((x1 + 1) * scale_x)))
        box = np.s_[top:bottom, left:right]
        alpha = alpha_full[box]
        columns = ((np.arange(left, right, dtype=np.float32) + 0.5) / scale_x - 0.5)[None].repeat(bottom - top, 0)
        rows = ((np.arange(top, bottom, dtype=np.float32) + 0.5) / scale_y - 0.5)[:, None].repeat(right - left, 1)
        enlarged = cv2.remap(fill, columns, rows, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        blended = frame[box] + alpha[..., None] * (enlarged - frame[box])
        pasted = np.clip(np.rint(blended), 0, 255).astype(np.uint8)
        result[box] = np.where((alpha > _FEATHER)[..., None], pasted, frame[box])
    return result


def _regions(mask: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Bounding boxes (x0, y0, x1, y1) of the mask's connected regions; boxes may overlap, their pixels are set to the
    same value."""
    touched = cv2.dilate((mask > 0).astype(np.uint8), np.ones((3, 3), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(touched, connectivity=8)
    return [(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in stats[1:]]


def uncertainty_map(probability: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """uint8 (h, w): 255 = not recoverable or not decided. Large where the mask is undecided and deep inside big
    regions, far from any pixel that shows the world (0 outside the mask)."""
    undecided = 4.0 * probability * (1.0 - probability)
    depth = cv2.distanceTransform((mask > 0).astype(np.uint8), cv2.DIST_L2, 3) / (mask.shape[0] / 6.0)
    value = np.where(mask > 0, np.maximum(undecided, np.minimum(depth, 1.0)), 0.0)
    return np.rint(255.0 * value).astype(np.uint8)
