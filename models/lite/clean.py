"""The lite cleaner: find the interface at a small size, fill it at full size. No mask is asked of the user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.lite.checkpoint import load_segmenter
from models.lite.config import LiteConfig
from models.lite.fill import fill_region
from models.lite.mask import Region, blocks, decide, enlarge, look, look_times, regions_of
from models.lite.matting import Matte, estimate_matte
from models.lite.segmenter import Segmenter
from models.training.loop import fixed_threads

_SAME_OVERLAY = 0.9


@dataclass(frozen=True)
class _Overlays:
    """One region through a block: which pixels are its own, and its mask and matte at every look."""

    region: Region
    own: np.ndarray
    covers: list[np.ndarray]
    mattes: list[Matte | None]


class LiteCleaner:
    """Mask-free UI removal by a learned segmenter, temporal matting and smooth continuation."""

    name = "lite"

    def __init__(self, model: Segmenter, config: LiteConfig, *, num_threads: int = 1) -> None:
        """`num_threads` is fixed so that equal input gives equal bytes."""
        self.model = model.eval()
        self.config = config
        self.num_threads = num_threads

    def clean(self, frames: np.ndarray, *, progress: Progress | None = None) -> CleanResult:
        """Clean uint8 RGB frames (T, H, W, 3), T >= 1, any size.

        Returns frames of the same shape; the mask (T, h, w) uint8 at the inner size, covered share of each pixel; the
        uncertainty (T, h, w) uint8, 0 where the world was seen. Where the mask is 0 the bytes are the input's.
        `progress(done, total)` counts frames. Raises ValueError for another shape or dtype.
        """
        if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[-1] != 3 or len(frames) < 1:
            raise ValueError(f"frames must be uint8 RGB (T, H, W, 3) with T >= 1, got {frames.dtype} {frames.shape}")
        before = cv2.getNumThreads()
        cv2.setNumThreads(self.num_threads)
        try:
            with fixed_threads(self.num_threads):
                return self._clean(frames, progress)
        finally:
            cv2.setNumThreads(before)

    def _clean(self, frames: np.ndarray, progress: Progress | None) -> CleanResult:
        evidence, total = self.config.evidence, len(frames)
        small = np.stack([_resize(frame, evidence.width, evidence.height) for frame in frames])
        result = frames.copy()
        masks = np.zeros((total, evidence.height, evidence.width), np.uint8)
        unsure = np.zeros_like(masks)
        for block in blocks(total, evidence.span):
            times = look_times(*block, self.config.mask.hop)
            looks = decide(look(self.model, evidence, small, block, times), self.config.mask)
            for frame in self._fill_block(frames, result, masks, unsure, block, looks, times):
                if progress is not None:
                    progress(frame + 1, total)
        return CleanResult(frames=result, mask=masks, uncertainty=unsure)

    def _fill_block(
        self,
        frames: np.ndarray,
        result: np.ndarray,
        masks: np.ndarray,
        unsure: np.ndarray,
        block: tuple[int, int],
        looks: np.ndarray,
        times: list[int],
    ) -> Iterator[int]:
        """Fill a block in place; yields a frame's number when it is done."""
        size = (frames.shape[2], frames.shape[1])
        nearest = _nearest(block, times)
        overlays = [
            self._overlays(frames, region, looks, nearest, block)
            for region in regions_of(looks, size, self.config.mask.low, self.config.fill.context_px)
        ]
        for frame in range(*block):
            cover, doubt = np.zeros(size[::-1], np.uint8), np.zeros(size[::-1], np.uint8)
            for each in overlays:
                inside, matte = each.covers[nearest[frame - block[0]]], each.mattes[nearest[frame - block[0]]]
                own = inside & each.own
                if own.any():
                    window = each.region.window
                    filled, unseen = fill_region(frames[frame][window], inside, matte, self.config.fill)
                    result[frame][window][own] = filled[own]
                    cover[window][own], doubt[window][own] = 255, unseen[own]
            masks[frame] = _resize(cover, masks.shape[2], masks.shape[1])
            unsure[frame] = _resize(doubt, masks.shape[2], masks.shape[1])
            yield frame

    def _overlays(
        self, frames: np.ndarray, region: Region, looks: np.ndarray, nearest: list[int], block: tuple[int, int]
    ) -> _Overlays:
        """Masks and mattes of a region at every look; looks with the same overlay share a matte, which trims the masks.

        Where an overlay was there for too short a time there is no matte.
        """
        fill, size = self.config.fill, (frames.shape[2], frames.shape[1])
        covers = [enlarge(each, region, size, self.config.mask) for each in looks]
        mattes: list[Matte | None] = [None] * len(covers)
        waiting = [number for number, cover in enumerate(covers) if cover.any()]
        while waiting:
            cover = covers[waiting[len(waiting) // 2]]
            same = [n for n in waiting if _overlap(covers[n], cover) > _SAME_OVERLAY] or waiting[:1]
            there = [block[0] + i for i, n in enumerate(nearest) if n in same]
            waiting = [n for n in waiting if n not in same]
            if len(there) < fill.min_matte_frames:
                continue
            count = min(fill.matte_frames, len(there))
            chosen = [there[i * len(there) // count] for i in range(count)]
            stack = np.stack([cv2.cvtColor(frames[i][region.window], cv2.COLOR_RGB2GRAY) for i in chosen])
            union = np.logical_or.reduce([covers[n] for n in same])
            matte = estimate_matte(stack, union, min_transmission=fill.min_transmission, min_activity=fill.min_activity)
            for n in same:
                covers[n], mattes[n] = matte.inside, matte
        return _Overlays(region, enlarge(region.own, region, size, self.config.mask), covers, mattes)


def load_lite(checkpoint_dir: Path, *, num_threads: int = 1) -> LiteCleaner:
    """The cleaner of a checkpoint folder written by `train_lite`; raises CheckpointError naming what does not fit."""
    model, config = load_segmenter(Path(checkpoint_dir))
    return LiteCleaner(model, config, num_threads=num_threads)


def _nearest(block: tuple[int, int], times: list[int]) -> list[int]:
    """For every frame of a block the number of the look that is nearest in time."""
    distances = np.abs(np.arange(*block)[:, None] - np.array(times)[None])
    return [int(number) for number in distances.argmin(axis=1)]


def _overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two bool masks."""
    return float((first & second).sum() / max((first | second).sum(), 1))


def _resize(picture: np.ndarray, width: int, height: int) -> np.ndarray:
    if picture.shape[:2] == (height, width):
        return picture
    shrinking = picture.shape[0] >= height and picture.shape[1] >= width
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
