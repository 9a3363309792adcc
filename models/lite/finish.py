"""From masks at a small size to filled frames at full size: trims the masks by how pixels move, looks through what is
translucent, continues the world over the rest. Shared by the removers, which differ in how they find and imagine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from models.lite.config import FillConfig
from models.lite.fill import fill_region
from models.lite.mask import Region, enlarge, regions_of
from models.lite.matting import Matte, estimate_matte

_SAME_OVERLAY = 0.9

Picture = Callable[[int], np.ndarray]
"""Number of a frame -> what a model imagines there, float32 or uint8 RGB (h, w, 3) at any size."""


@dataclass(frozen=True)
class Canvas:
    """What a clip is painted on: `frames` are read, the others written, all (T, ...).

    Attributes:
        frames, result: uint8 RGB (T, H, W, 3); equal at the start.
        mask, unsure: uint8 (T, h, w) at the inner size: covered share of each pixel; 0 where the world was seen.
    """

    frames: np.ndarray
    result: np.ndarray
    mask: np.ndarray
    unsure: np.ndarray

    @staticmethod
    def over(frames: np.ndarray, inner: tuple[int, int]) -> Canvas:
        """An untouched canvas for `frames`, with maps of size `inner` (width, height)."""
        mask = np.zeros((len(frames), inner[1], inner[0]), np.uint8)
        return Canvas(frames, frames.copy(), mask, np.zeros_like(mask))

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the frames."""
        return self.frames.shape[2], self.frames.shape[1]


@dataclass(frozen=True)
class _Overlays:
    """One region through a block: which pixels are its own, and its mask and matte at every look."""

    region: Region
    own: np.ndarray
    covers: list[np.ndarray]
    mattes: list[Matte | None]


@dataclass(frozen=True)
class Finisher:
    """Paints the blocks of a clip. `low` is the level from which a pixel of a look is masked, `grow_px` full-size pixels
    are added around it."""

    low: float
    grow_px: int
    fill: FillConfig

    def paint(
        self,
        canvas: Canvas,
        block: tuple[int, int],
        looks: np.ndarray,
        times: Sequence[int],
        picture: Picture | None = None,
    ) -> Iterator[int]:
        """Fill the frames of a block in place; yields a frame's number when it is done.

        Args:
            block: (start, stop) of the frames.
            looks: masks float32 (n, h, w) in [0, 1] at a small size, at the frames `times` of the block.
            picture: what opaque parts are filled with; None = the smooth continuation of the surroundings.
        """
        nearest = _nearest(block, times)
        overlays = [
            self._overlays(canvas.frames, region, looks, nearest, block)
            for region in regions_of(looks, canvas.size, self.low, self.fill.context_px)
        ]
        for frame in range(*block):
            self._paint_frame(canvas, frame, nearest[frame - block[0]], overlays, picture)
            yield frame

    def _paint_frame(
        self, canvas: Canvas, frame: int, look: int, overlays: list[_Overlays], picture: Picture | None
    ) -> None:
        source, shape = canvas.frames[frame], canvas.size[::-1]
        cover, doubt = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        for each in overlays:
            inside, matte, window = each.covers[look], each.mattes[look], each.region.window
            own = inside & each.own
            if own.any():
                imagined = None if picture is None else _crop(picture(frame), each.region, canvas.size)
                filled, unseen = fill_region(source[window], inside, matte, self.fill, imagined)
                canvas.result[frame][window][own] = filled[own]
                cover[window][own], doubt[window][own] = 255, unseen[own]
        size = canvas.mask.shape[2], canvas.mask.shape[1]
        canvas.mask[frame], canvas.unsure[frame] = resize(cover, *size), resize(doubt, *size)

    def _overlays(
        self, frames: np.ndarray, region: Region, looks: np.ndarray, nearest: list[int], block: tuple[int, int]
    ) -> _Overlays:
        """Masks and mattes of a region at every look; looks with the same overlay share a matte, which trims the masks.

        Where an overlay was there for too short a time there is no matte.
        """
        fill, size = self.fill, (frames.shape[2], frames.shape[1])
        covers = [enlarge(each, region, size, self.low, self.grow_px) for each in looks]
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
        return _Overlays(region, enlarge(region.own, region, size, self.low, self.grow_px), covers, mattes)


def _crop(picture: np.ndarray, region: Region, size: tuple[int, int]) -> np.ndarray:
    """A region of a small picture at full size, float32 (h, w, 3)."""
    maps = region.positions(size, (picture.shape[1], picture.shape[0]))
    return cv2.remap(picture.astype(np.float32), *maps, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def _nearest(block: tuple[int, int], times: Sequence[int]) -> list[int]:
    """For every frame of a block the number of the look that is nearest in time."""
    distances = np.abs(np.arange(*block)[:, None] - np.array(times)[None])
    return [int(number) for number in distances.argmin(axis=1)]


def _overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two bool masks."""
    return float((first & second).sum() / max((first | second).sum(), 1))


def resize(picture: np.ndarray, width: int, height: int) -> np.ndarray:
    """Area filter when shrinking, linear when enlarging; the same array if the size is right."""
    if picture.shape[:2] == (height, width):
        return picture
    shrinking = picture.shape[0] >= height and picture.shape[1] >= width
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
