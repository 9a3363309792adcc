"""What tells interface from world: it stays on the screen while the world behind it moves.

Statistics over frames spread through the clip show what is always there, statistics over the frames around the current
one show what is there for a moment only.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

NUM_CHANNELS = 15


@dataclass(frozen=True)
class EvidenceConfig:
    """Which frames are looked at, and at which size.

    Attributes:
        width, height: inner size in pixels; every video is scaled to it.
        num_long: frames spread over `span` frames, for what is always there.
        span: frames of a block that share one set of long statistics (5 s at 30 fps).
        short_offsets: frames around the current one, relative to it.
    """

    width: int = 640
    height: int = 360
    num_long: int = 10
    span: int = 150
    short_offsets: tuple[int, ...] = (-8, -4, 0, 4, 8)

    def __post_init__(self) -> None:
        if self.width % 16 or self.height % 8 or min(self.width, self.height) < 32:
            raise ValueError(f"inner size must be at least 32, width / 16 and height / 8: {self.width}x{self.height}")
        if self.num_long < 2 or self.span < self.num_long or 0 not in self.short_offsets:
            raise ValueError(f"need num_long >= 2, span >= num_long and 0 among short_offsets: {self}")

    def long_frames(self, start: int, stop: int) -> list[int]:
        """Indices of the frames that stand for the block [start, stop)."""
        count = min(self.num_long, stop - start)
        return [start + (2 * i + 1) * (stop - start) // (2 * count) for i in range(count)]

    def short_frames(self, index: int, num_frames: int) -> list[int]:
        """Indices around `index`, kept inside a clip of `num_frames`."""
        return [min(max(index + offset, 0), num_frames - 1) for offset in self.short_offsets]


def _luma(frame: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY).astype(np.float32)


def _steadiness(lumas: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(mean luma, three maps (3, h, w)): spread over time, length of the mean gradient, mean length of the gradient.

    For a fixed overlay the last two are equal; for a moving texture the mean gradient vanishes.
    """
    mean = np.zeros_like(lumas[0])
    for luma in lumas:
        cv2.add(mean, luma, dst=mean)
    mean /= len(lumas)
    spread, moving = np.zeros_like(mean), np.zeros_like(mean)
    for luma in lumas:
        cv2.add(spread, cv2.absdiff(luma, mean), dst=spread)
        cv2.add(moving, _slope(luma), dst=moving)
    return mean, np.stack([spread / len(lumas), _slope(mean), moving / len(lumas)])


def _slope(luma: np.ndarray) -> np.ndarray:
    """Length of the gradient by central differences, float32 (h, w); 0 at the borders.

    In numpy on purpose: OpenCV's magnitude differs in the last bit from call to call with the place of its arrays in
    memory, and training would no longer be reproducible.
    """
    slope = np.zeros_like(luma)
    dx, dy = luma[1:-1, 2:] - luma[1:-1, :-2], luma[2:, 1:-1] - luma[:-2, 1:-1]
    slope[1:-1, 1:-1] = 0.5 * np.sqrt(dx * dx + dy * dy)
    return slope


def long_evidence(frames: np.ndarray) -> np.ndarray:
    """Statistics of frames spread through a block, uint8 (n, h, w, 3) -> float32 (6, h, w): mean color, three maps."""
    _, maps = _steadiness([_luma(frame) for frame in frames])
    color = frames.mean(axis=0, dtype=np.float32).transpose(2, 0, 1) / 255.0 - 0.5
    return np.concatenate([color, np.log1p(maps) * 0.5]).astype(np.float32)


def frame_evidence(
    frame: np.ndarray, around: np.ndarray, long: np.ndarray, corner: tuple[int, int], size: tuple[int, int]
) -> np.ndarray:
    """All evidence of one frame, float32 (15, h, w).

    Args:
        frame: uint8 RGB (h, w, 3), possibly a crop.
        around: uint8 (m, h, w, 3), the frames around it.
        long: result of `long_evidence` for the same crop.
        corner: (x, y) of the crop in the whole picture.
        size: (width, height) of the whole picture.
    """
    _, maps = _steadiness([_luma(each) for each in around])
    color = frame.transpose(2, 0, 1).astype(np.float32) / 255.0 - 0.5
    change = np.abs(color - long[:3]).mean(axis=0, keepdims=True) * 2.0
    ys, xs = np.mgrid[: frame.shape[0], : frame.shape[1]].astype(np.float32)
    place = np.stack([(xs + corner[0]) * (2.0 / size[0]) - 1.0, (ys + corner[1]) * (2.0 / size[1]) - 1.0])
    return np.concatenate([color, long, np.log1p(maps) * 0.5, change, place]).astype(np.float32)
