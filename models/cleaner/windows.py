"""Sliding windows over a video of any length, and the weights that blend their overlaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.cleaner.config import WindowConfig


@dataclass(frozen=True)
class Window:
    """Frame indices of one window, `num_frames` of them; indices repeat at the end of videos shorter than a window."""

    indices: tuple[int, ...]


def plan_windows(num_frames: int, config: WindowConfig) -> Iterator[Window]:
    """Windows that together cover frames 0..num_frames-1.

    A stride of s gives s interleaved sequences, so that every frame is seen at the rate the model was trained on. The last
    window of a sequence is moved back to end on its last frame. Raises ValueError for an empty video.
    """
    if num_frames < 1:
        raise ValueError(f"a video needs at least one frame, got {num_frames}")
    for phase in range(min(config.stride, num_frames)):
        sequence = range(phase, num_frames, config.stride)
        starts = list(range(0, max(1, len(sequence) - config.num_frames + 1), config.hop))
        last = max(0, len(sequence) - config.num_frames)
        if starts[-1] != last:
            starts.append(last)
        for start in starts:
            chosen = [sequence[min(start + i, len(sequence) - 1)] for i in range(config.num_frames)]
            yield Window(tuple(chosen))


def blend_weights(num_frames: int) -> np.ndarray:
    """Weights (num_frames,) float32 > 0: highest in the middle of a window, low at its ends, where context is one-sided."""
    position = np.arange(num_frames, dtype=np.float32)
    return 0.05 + np.minimum(position + 0.5, num_frames - position - 0.5) / num_frames


class OverlapMean:
    """Weighted mean over windows of per-frame arrays (h, w, ...), kept as float32 sums of all frames."""

    def __init__(self, num_frames: int, shape: tuple[int, ...]) -> None:
        self._sum = np.zeros((num_frames, *shape), np.float32)
        self._weight = np.zeros(num_frames, np.float32)

    def add(self, window: Window, values: np.ndarray, weights: np.ndarray) -> None:
        """Add one window's values (num_frames, h, w, ...)."""
        for index, value, weight in zip(window.indices, values, weights, strict=True):
            self._sum[index] += weight * value
            self._weight[index] += weight

    def mean(self) -> np.ndarray:
        """The blended frames; raises ValueError if a frame was covered by no window."""
        if not (self._weight > 0).all():
            raise ValueError(f"frames {np.flatnonzero(self._weight == 0)[:5].tolist()} were covered by no window")
        return self._sum / self._weight.reshape(-1, *[1] * (self._sum.ndim - 1))
