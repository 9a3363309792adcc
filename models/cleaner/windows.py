"""Sliding windows over a video of any length, and the weights that blend their overlaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.cleaner.config import WindowConfig


@dataclass(frozen=True)
class Window:
    """Positions of one window, `num_frames` of them; the last one repeats in videos shorter than a window."""

    indices: tuple[int, ...]


def sampled_indices(num_frames: int, stride: int) -> np.ndarray:
    """Video frames the model looks at: every `stride`-th. Raises ValueError for an empty video."""
    if num_frames < 1:
        raise ValueError(f"a video needs at least one frame, got {num_frames}")
    return np.arange(0, num_frames, stride)


def plan_windows(length: int, config: WindowConfig) -> Iterator[Window]:
    """Windows that together cover positions 0..length-1 of the sampled frames; the last one is moved back to end at the
    end."""
    last = max(0, length - config.num_frames)
    starts = list(range(0, last + 1, config.hop))
    if starts[-1] != last:
        starts.append(last)
    for start in starts:
        yield Window(tuple(min(start + offset, length - 1) for offset in range(config.num_frames)))


def far_indices(center: int, num_frames: int, config: WindowConfig) -> np.ndarray:
    """`num_far` rising frame numbers, spread over the `far_span` frames around `center` that lie in a video of
    `num_frames`; a shorter video repeats some."""
    span = min(config.far_span, num_frames)
    start = min(max(center - span // 2, 0), num_frames - span)
    return start + (2 * np.arange(config.num_far) + 1) * span // (2 * config.num_far)


def spread_over_time(values: np.ndarray, indices: np.ndarray, num_frames: int) -> np.ndarray:
    """Values at rising frame `indices` (n, ...) -> values at all frames (num_frames, ...) float32, linear in
    between."""
    frames = np.arange(num_frames)
    right = np.clip(np.searchsorted(indices, frames), 0, len(indices) - 1)
    left = np.where(indices[right] > frames, right - 1, right).clip(0)
    gap = np.maximum(indices[right] - indices[left], 1)
    share = np.where(right == left, 0.0, (frames - indices[left]) / gap).astype(np.float32)
    share = share.reshape(-1, *[1] * (values.ndim - 1))
    return ((1.0 - share) * values[left] + share * values[right]).astype(np.float32)


def blend_weights(num_frames: int) -> np.ndarray:
    """Weights (num_frames,) float32 > 0: highest in the middle of a window, low at its ends, where context is
    one-sided."""
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
