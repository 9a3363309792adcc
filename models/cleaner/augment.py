"""Augmentation of training pairs: the same change to interface and clean video, so that pairs stay aligned.

Few games are at hand at small sizes; mirrored, re-colored and still versions keep the model from learning one game's
palette or that everything that does not move is interface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.cleaner.data import PairBatch


@dataclass(frozen=True)
class AugmentConfig:
    """Probabilities per sample; `gain` is the range of per-channel brightness factors."""

    mirror: float = 0.5
    permute_channels: float = 0.0
    gain: tuple[float, float] = (0.8, 1.2)
    freeze: float = 0.05

    def __post_init__(self) -> None:
        for name in ("mirror", "permute_channels", "freeze"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"AugmentConfig.{name} must lie in [0, 1], got {value}")
        if not 0.0 < self.gain[0] <= self.gain[1]:
            raise ValueError(f"AugmentConfig.gain must be a positive range, got {self.gain}")


def augment(pairs: PairBatch, config: AugmentConfig, rng: np.random.Generator) -> PairBatch:
    """A changed copy of the batch; the draw is a function of the generator alone."""
    ui, clean, mask, far = pairs.ui.copy(), pairs.clean.copy(), pairs.mask.copy(), pairs.far.copy()
    for index in range(len(ui)):
        videos = [ui[index], clean[index], mask[index], far[index]]
        if rng.random() < config.mirror:
            videos = [video[:, :, ::-1] for video in videos]
        if rng.random() < config.freeze:
            chosen = int(rng.integers(len(mask[index])))
            still = [np.repeat(video[chosen : chosen + 1], len(video), axis=0) for video in videos[:3]]
            videos = [*still, np.repeat(videos[0][chosen : chosen + 1], len(videos[3]), axis=0)]
        order = rng.permutation(3) if rng.random() < config.permute_channels else np.arange(3)
        # A table per channel keeps 8-bit arithmetic exact and cheap.
        gains = rng.uniform(*config.gain) * rng.uniform(0.85, 1.15, 3)
        table = np.clip(np.arange(256)[:, None] * gains[None], 0, 255).astype(np.uint8)
        for target, video in ((ui, videos[0]), (clean, videos[1]), (far, videos[3])):
            target[index] = np.stack([table[:, c][video[..., order[c]]] for c in range(3)], axis=-1)
        mask[index] = videos[2]
    return PairBatch(ui, clean, mask, far)
