"""The lite cleaner: find the interface at a small size, fill it at full size. No mask is asked of the user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.lite.checkpoint import load_segmenter
from models.lite.config import LiteConfig
from models.lite.fill import fill_region, luma
from models.lite.mask import Region, blocks, decide, enlarge, look, look_times, regions_of
from models.lite.matting import Matte, estimate_matte
from models.lite.segmenter import Segmenter
from models.training.loop import fixed_threads

_SAME_OVERLAY = 0.9


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

        Returns frames of the same shape; the mask (T, h, w) uint8 0 / 255 and the uncertainty (T, h, w) uint8 at the
        inner size. Pixels outside the mask are the input's bytes. `progress(done, total)` counts frames. Raises
        ValueError for another shape or dtype.
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
            for number, frame in self._fill_block(frames, result, unsure, block, times, looks):
                masks[frame] = np.where(looks[number] > self.config.mask.low, 255, 0)
                if progress is not None:
                    progress(frame + 1, total)
        return CleanResult(frames=result, mask=masks, uncertainty=unsure)

    def _fill_block(
        self, frames: np.ndarray, result: np.ndarray, unsure: np.ndarray, block: tuple[int, int], times: list[int],
        looks: np.ndarray,
    ) -> Iterator[tuple[int, int]]:
        """Fill a block in place; yields (look, frame) when a frame is done."""
        size = (frames.shape[2], frames.shape[1])
        regions = regions_of(looks, size, self.config.mask.low, self.config.fill.context_px)
        nearest = _nearest(block, times)
        covers = {r: [enlarge(each, r, size, self.config.mask) for each in looks] for r in regions}
        owned = {r: enlarge(r.own, r, size, self.config.mask) for r in regions}
        mattes = {r: self._mattes(frames, r, covers[r], nearest, block) for r in regions}
        for frame in range(*block):
            number = nearest[frame - block[0]]
            for region in regions:
                inside = covers[region][number]
                own = inside & owned[region]
                if own.any():
                    filled, doubt = fill_region(frames[frame][region.window], inside, mattes[region][number], self.config.fill)
                    target = result[frame][region.window]
                    target[own] = filled[own]
                    _paste_doubt(unsure[frame], np.where(own, doubt, 0).astype(np.uint8), region, size)
            yield number, frame

    def _mattes(
        self, frames: np.ndarray, region: Region, covers: list[np.ndarray], nearest: list[int], block: tuple[int, int]
    ) -> list[Matte | None]:
        """A matte per look, shared by all looks with the same overlay; None where it was there for too short a time."""
        fill = self.config.fill
        mattes: list[Matte | None] = [None] * len(covers)
        waiting = [number for number, cover in enumerate(covers) if cover.any()]
        while waiting:
            cover = covers[waiting[len(waiting) // 2]]
            same = [n for n in waiting if _overlap(covers[n], cover) > _SAME_OVERLAY] or waiting[:1]
            there = [block[0] + i for i, n in enumerate(nearest) if n in same]
            matte = None
            if len(there) >= fill.min_matte_frames:
                count = min(fill.matte_frames, len(there))
                chosen = [there[i * len(there) // count] for i in range(count)]
                stack = np.stack([luma(frames[i][region.window]) for i in chosen])
                union = np.logical_or.reduce([covers[n] for n in same])
                matte = estimate_matte(stack, union, min_transmission=fill.min_transmission, min_spread=fill.min_spread)
            for n in same:
                mattes[n] = matte
            waiting = [n for n in waiting if n not in same]
        return mattes


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


def _paste_doubt(target: np.ndarray, doubt: np.ndarray, region: Region, size: tuple[int, int]) -> None:
    """Reduce a region's full-size uncertainty to the inner size; where regions overlap the larger one counts."""
    scale_x, scale_y = target.shape[1] / size[0], target.shape[0] / size[1]
    top, left = int(region.top * scale_y), int(region.left * scale_x)
    bottom = min(target.shape[0], max(top + 1, round(region.bottom * scale_y)))
    right = min(target.shape[1], max(left + 1, round(region.right * scale_x)))
    part = target[top:bottom, left:right]
    if part.size:
        np.maximum(part, cv2.resize(doubt, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_AREA), out=part)
