"""From the segmenter's looks to a mask for every frame, and to the regions that are worth filling together."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import torch

from models.lite.config import MaskConfig
from models.lite.evidence import EvidenceConfig, frame_evidence, long_evidence
from models.lite.segmenter import Segmenter

_CLOSE_PX = 4
_PANEL_SHARE = 0.002


def blocks(num_frames: int, span: int) -> list[tuple[int, int]]:
    """Cut a clip into equal blocks of about `span` frames: [(start, stop), ...] that share long statistics."""
    count = max(1, round(num_frames / span))
    return [(i * num_frames // count, (i + 1) * num_frames // count) for i in range(count)]


def look_times(start: int, stop: int, hop: int) -> list[int]:
    """Frames of a block at which the segmenter looks: every `hop`-th and the last."""
    times = list(range(start, stop, hop))
    return times if times[-1] == stop - 1 else [*times, stop - 1]


@torch.no_grad()
def look(
    model: Segmenter, config: EvidenceConfig, small: np.ndarray, block: tuple[int, int], times: list[int]
) -> np.ndarray:
    """Interface probability float32 (len(times), h, w) of uint8 inner-size frames (T, h, w, 3) at the given moments."""
    long = long_evidence(small[config.long_frames(*block)])
    found = np.empty((len(times), *small.shape[1:3]), np.float32)
    size = (config.width, config.height)
    for number, time in enumerate(times):
        around = small[config.short_frames(time, len(small))]
        evidence = torch.from_numpy(frame_evidence(small[time], around, long, (0, 0), size)[None])
        found[number] = model(evidence.contiguous(memory_format=torch.channels_last)).sigmoid()[0].numpy()
    return found


def decide(probability: np.ndarray, config: MaskConfig) -> np.ndarray:
    """Looks (n, h, w) -> the same, averaged over neighboring looks, with doubtful regions set to 0."""
    steady = _average(probability, config.smooth)
    result = np.zeros_like(steady)
    for number, each in enumerate(steady):
        found = cv2.connectedComponentsWithStats((each > config.low).astype(np.uint8), connectivity=8)
        count, labels, areas = found[0], found[1], found[2][:, cv2.CC_STAT_AREA]
        peaks = np.zeros(count, np.float32)
        np.maximum.at(peaks, labels.ravel(), each.ravel())
        means = np.bincount(labels.ravel(), each.ravel(), minlength=count) / areas
        # A panel is certain as a whole; a stretch of world that keeps still is doubtful in most places.
        keep = (peaks >= config.peak) & ((areas < _PANEL_SHARE * each.size) | (means >= config.mean))
        keep[0] = False
        kept = _fill_holes(keep[labels].astype(np.uint8), config.max_hole_share)
        # What lies just below the threshold around a kept region shapes its edge when it is enlarged.
        around = cv2.dilate(kept, np.ones((3, 3), np.uint8))
        result[number] = np.where((kept > 0) & (each <= config.low), 1.0, np.where(around > 0, each, 0.0))
    return result


def _fill_holes(mask: np.ndarray, max_share: float) -> np.ndarray:
    """Close small gaps, and holes that are not larger than a share of the picture: panels are solid.

    A hole that is world after all is found again at full size, by how it moves.
    """
    padded = cv2.copyMakeBorder(mask, _CLOSE_PX, _CLOSE_PX, _CLOSE_PX, _CLOSE_PX, cv2.BORDER_REPLICATE)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _CLOSE_PX + 1, 2 * _CLOSE_PX + 1))
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, kernel)[_CLOSE_PX:-_CLOSE_PX, _CLOSE_PX:-_CLOSE_PX]
    _, labels, stats, _ = cv2.connectedComponentsWithStats(1 - closed, connectivity=4)
    small = stats[:, cv2.CC_STAT_AREA] <= max_share * mask.size
    small[0] = True
    return small[labels].astype(np.uint8)


def _average(probability: np.ndarray, radius: int) -> np.ndarray:
    radius = min(radius, len(probability) - 1)
    if radius == 0:
        return probability
    weights = [radius + 1 - abs(k) for k in range(-radius, radius + 1)]
    total, norm = np.zeros_like(probability), np.zeros((len(probability), 1, 1), np.float32)
    for shift, weight in zip(range(-radius, radius + 1), weights, strict=True):
        first, last = max(0, shift), min(len(probability), len(probability) + shift)
        total[first - shift : last - shift] += weight * probability[first:last]
        norm[first - shift : last - shift] += weight
    return total / norm


@dataclass(frozen=True, eq=False)
class Region:
    """A rectangle of the full-size picture whose interface is filled together: rows top:bottom, columns left:right.

    `own` (h, w) float32 at the inner size is 1 where the mask is this region's: rectangles may overlap, masks do not.
    """

    top: int
    left: int
    bottom: int
    right: int
    own: np.ndarray

    @property
    def window(self) -> tuple[slice, slice]:
        """Index into (H, W)."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def positions(self, size: tuple[int, int], small: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Where the region's pixels lie in a picture of size `small` (width, height), if the whole is `size`: maps of x
        and y, float32 (h, w)."""
        scale_x, scale_y = size[0] / small[0], size[1] / small[1]
        columns = (np.arange(self.left, self.right, dtype=np.float32) + 0.5) / scale_x - 0.5
        rows = (np.arange(self.top, self.bottom, dtype=np.float32) + 0.5) / scale_y - 0.5
        shape = (len(rows), len(columns))
        map_x, map_y = np.broadcast_to(columns[None], shape), np.broadcast_to(rows[:, None], shape)
        return np.ascontiguousarray(map_x), np.ascontiguousarray(map_y)


def regions_of(masks: np.ndarray, size: tuple[int, int], low: float, context_px: int) -> list[Region]:
    """Rectangles around everything that is ever masked in a block.

    Args:
        masks: decided looks (n, h, w).
        size: (width, height) of the full-size picture.
        low: level from which a pixel is masked.
        context_px: full-size pixels of world around each.
    """
    height, width = masks.shape[1:]
    scale_x, scale_y = size[0] / width, size[1] / height
    ever = (masks.max(axis=0) > low).astype(np.uint8)
    joined = cv2.dilate(ever, np.ones((9, 9), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found = []
    for label, (x, y, w, h, _area) in enumerate(stats[1:], 1):
        found.append(Region(
            max(0, int(y * scale_y) - context_px), max(0, int(x * scale_x) - context_px),
            min(size[1], int(np.ceil((y + h) * scale_y)) + context_px),
            min(size[0], int(np.ceil((x + w) * scale_x)) + context_px),
            (labels == label).astype(np.float32),
        ))  # fmt: skip
    return found


def enlarge(mask: np.ndarray, region: Region, size: tuple[int, int], low: float, grow_px: int) -> np.ndarray:
    """One decided look (h, w) at full size inside a region: bool, where it exceeds `low`, grown by `grow_px`."""
    maps = region.positions(size, (mask.shape[1], mask.shape[0]))
    soft = cv2.remap(mask, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    side = 2 * grow_px + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    return cv2.dilate((soft > low).astype(np.uint8), kernel) > 0
