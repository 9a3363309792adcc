"""What a UI remover promises, whatever is inside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

Progress = Callable[[int, int], None]
"""Called with (frames done, frames in all)."""


@dataclass(frozen=True)
class CleanResult:
    """A cleaned clip.

    Attributes:
        frames: uint8 RGB (T, H, W, 3); where the mask is 0 the bytes are the input's own.
        mask: soft UI mask, float32 in [0, 1] or uint8, shape (T, h, w), possibly smaller than the frames.
        uncertainty: uint8 (T, h, w); 255 where the content is invented, 0 where it was seen.
    """

    frames: np.ndarray
    mask: np.ndarray
    uncertainty: np.ndarray

    def __post_init__(self) -> None:
        if self.frames.dtype != np.uint8 or self.frames.ndim != 4:
            raise ValueError(f"frames must be uint8 (T, H, W, 3), got {self.frames.dtype} {self.frames.shape}")
        if len(self.mask) != len(self.frames) or len(self.uncertainty) != len(self.frames):
            raise ValueError("mask and uncertainty must have one picture per frame")

    @property
    def masked_share(self) -> float:
        """Share of the pixels that the remover changed, in [0, 1]."""
        half = 127 if self.mask.dtype == np.uint8 else 0.5
        return float((self.mask > half).mean())


@runtime_checkable
class Cleaner(Protocol):
    """A mask-free UI remover: the video is all it is given."""

    name: str

    def clean(self, frames: np.ndarray, *, progress: Progress | None = None) -> CleanResult:
        """Remove the interface from uint8 RGB frames (T, H, W, 3) of any size and any length of at least one."""
        ...
