"""Screen-space statistics of a clip: which edges stay in place while the world moves behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

_SCALE = 127.0
_PROBE = (160, 90)
_LARGE_CHANGE = 60.0
"""Gray levels: a counter that jumps now and then must not make its plate look alive."""
_LEAST_CHANGE = 1.5
"""Gray levels below which the surroundings themselves stand still."""


@dataclass(frozen=True)
class EdgeStack:
    """Edge directions of sampled frames.

    `directions`: int8 (num_frames, h, w, 2), gradient g / (|g| + bias) times 127; `frames`: clip index of each;
    `moving`: positions in the stack of frames that differ from the one chosen before: standing still proves nothing;
    `change`: float32 (h, w), mean squared change of gray from one moving frame to the next, large changes cut off;
    `picture`: uint8 (h, w), mean gray of the moving frames: the interface before an averaged world.
    """

    directions: np.ndarray
    frames: tuple[int, ...]
    moving: tuple[int, ...]
    change: np.ndarray
    picture: np.ndarray

    def resultant(self, chosen: Sequence[int]) -> np.ndarray:
        """Mean edge direction over the chosen stack positions, float32 (h, w, 2), length 0..1.

        Length 1: the same strong edge in every frame. The world averages out, because its edges come and go with all
        directions; weak gradients count little by the bias. Directions, not strengths, are averaged: the edge of a
        translucent panel changes its strength with what lies behind, hardly ever its sign.
        """
        return self.directions[list(chosen)].mean(axis=0, dtype=np.float32) / np.float32(_SCALE)

    def busyness(self) -> np.ndarray:
        """Mean edge strength over all frames whatever its direction, float32 (h, w), 0..1: high where text scrolls."""
        strength = np.zeros(self.directions.shape[1:3], np.float32)
        for frame in self.directions:
            strength += np.hypot(frame[..., 0].astype(np.float32), frame[..., 1])
        return strength / np.float32(_SCALE * len(self.directions))

    def liveliness(self) -> np.ndarray:
        """How much a place changes, relative to the world around it, float32 (h, w): 1 = as the world, 0 = opaque.

        A plate lets (1 - alpha) of the world's changes through: one sees the whole of it, also where it has no edges.
        """
        spread = cv2.GaussianBlur(np.sqrt(self.change), (0, 0), 2.0)
        height, width = spread.shape
        small = cv2.resize(spread, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
        around = cv2.medianBlur(np.clip(small * 4, 0, 255).astype(np.uint8), 31).astype(np.float32) / 4
        around = cv2.resize(around, (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(spread / np.maximum(around, _LEAST_CHANGE), dtype=np.float32)


def edge_stack(frames: Iterable[tuple[int, np.ndarray]], *, bias: float, min_motion: float) -> EdgeStack:
    """Build the stack from (clip index, uint8 RGB frame) pairs.

    `bias` in gray levels per pixel; `min_motion`: mean absolute gray difference (0..255) at 160x90 of a new frame.

    Raises:
        ValueError: if there are no frames.
    """
    directions: list[np.ndarray] = []
    indices: list[int] = []
    moving: list[int] = []
    last: np.ndarray | None = None
    before: np.ndarray | None = None
    change: np.ndarray | None = None
    total: np.ndarray | None = None
    for index, rgb in frames:
        gray = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
        small = cv2.resize(gray, _PROBE, interpolation=cv2.INTER_AREA).astype(np.float32)
        if last is None or float(np.abs(small - last).mean()) > min_motion:
            moving.append(len(indices))
            last = small
            if before is not None:
                step = np.minimum(cv2.absdiff(gray, before).astype(np.float32), _LARGE_CHANGE) ** 2
                change = step if change is None else change + step
            before = gray
            total = gray.astype(np.float32) if total is None else total + gray
        directions.append(_direction(gray, bias))
        indices.append(index)
    if total is None:
        raise ValueError("no frames to look at")
    if change is None:
        change = np.zeros(directions[0].shape[:2], np.float32)
    picture = np.rint(total / len(moving)).astype(np.uint8)
    mean_change = change / np.float32(2 * max(1, len(moving) - 1))
    return EdgeStack(np.stack(directions), tuple(indices), tuple(moving), mean_change, picture)


def _direction(gray: np.ndarray, bias: float) -> np.ndarray:
    gx = cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=1 / 8)
    gy = cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=1 / 8)
    length = cv2.magnitude(gx, gy) + np.float32(bias)
    unit = cv2.merge([cv2.divide(gx, length, scale=_SCALE), cv2.divide(gy, length, scale=_SCALE)])
    return np.rint(unit).astype(np.int8)


def presence(stack: EdgeStack, mean: np.ndarray, ys: np.ndarray, xs: np.ndarray) -> np.ndarray:
    """How well each sampled frame shows the edges at the pixels (ys, xs), float32 (num_frames,), 1 = as on average.

    Args:
        mean: `resultant` in which the edges were found.
    """
    target = mean[ys, xs]
    seen = stack.directions[:, ys, xs].astype(np.float32) / _SCALE
    return np.asarray((seen * target).sum(axis=(1, 2)) / max(1e-6, float((target * target).sum())), dtype=np.float32)
