"""Training pairs at the inner resolution. A `PairSource` is a pure function of (seed, step): that is what makes runs
resumable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class PairBatch:
    """`ui` and `clean` (B, T, h, w, 3) uint8 RGB, pixel aligned; `mask` (B, T, h, w) uint8, alpha coverage of the
    interface; `far` (B, n, h, w, 3) uint8 RGB, frames with interface spread through the shot around the window."""

    ui: np.ndarray
    clean: np.ndarray
    mask: np.ndarray
    far: np.ndarray

    def __post_init__(self) -> None:
        if self.ui.shape != self.clean.shape or self.ui.shape[:-1] != self.mask.shape or self.ui.shape[-1] != 3:
            raise ValueError(
                f"pair shapes do not agree: ui {self.ui.shape}, clean {self.clean.shape}, mask {self.mask.shape}"
            )
        if self.far.ndim != 5 or (len(self.far), *self.far.shape[2:]) != (len(self.ui), *self.ui.shape[2:]):
            raise ValueError(f"far frames {self.far.shape} do not go with windows {self.ui.shape}")


class PairSource(Protocol):
    """Where training windows come from."""

    @property
    def fingerprint(self) -> str:
        """Hash of everything that shapes the pairs; part of the training recipe."""

    def sample(self, seed: int, step: int, batch: int) -> PairBatch:
        """`batch` windows for one step; equal arguments give equal bytes. Validation uses negative steps."""
