"""Exponential moving average of trainable weights: the weights a checkpoint keeps and inference uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class EMA:
    """Average of a module's trainable parameters; names are those of `module.named_parameters()`.

    The decay warms up as min(decay, (1 + n) / (10 + n)) so that a short run is not dominated by its initial weights
    (Tensorflow's ExponentialMovingAverage rule). `decay` is in [0, 1); 0 keeps a plain copy of the latest weights.
    """

    def __init__(self, module: nn.Module, decay: float) -> None:
        if not 0.0 <= decay < 1.0:
            raise ValueError(f"EMA decay must lie in [0, 1), got {decay}")
        self.decay = decay
        self.num_updates = 0
        self.shadow: dict[str, Tensor] = {
            name: parameter.detach().clone() for name, parameter in module.named_parameters() if parameter.requires_grad
        }

    @torch.no_grad()
    def update(self, module: nn.Module) -> None:
        """Move the average towards the module's current weights."""
        decay = min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))
        self.num_updates += 1
        current = dict(module.named_parameters())
        for name, average in self.shadow.items():
            average.lerp_(current[name].detach().to(average.dtype), 1.0 - decay)

    @torch.no_grad()
    def copy_to(self, module: nn.Module) -> None:
        """Overwrite the module's trainable weights with the average."""
        current = dict(module.named_parameters())
        for name, average in self.shadow.items():
            current[name].copy_(average)

    @contextmanager
    def applied(self, module: nn.Module) -> Iterator[nn.Module]:
        """Use the averaged weights inside the block, then put the trained ones back (for evaluation in
        mid-training)."""
        current = dict(module.named_parameters())
        kept = {name: current[name].detach().clone() for name in self.shadow}
        self.copy_to(module)
        try:
            yield module
        finally:
            with torch.no_grad():
                for name, value in kept.items():
                    current[name].copy_(value)

    def load(self, shadow: Mapping[str, Tensor], num_updates: int) -> None:
        """Restore a saved average; the names must be exactly those of this module."""
        if set(shadow) != set(self.shadow):
            missing, extra = sorted(set(self.shadow) - set(shadow)), sorted(set(shadow) - set(self.shadow))
            raise ValueError(f"EMA weights do not belong to this module: missing {missing[:3]}, unexpected {extra[:3]}")
        for name, value in shadow.items():
            self.shadow[name].copy_(value)
        self.num_updates = num_updates
