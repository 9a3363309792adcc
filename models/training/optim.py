"""AdamW, the learning-rate curve, and seeds that are pure functions of (seed, step)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np
import torch
from torch import nn


def build_adamw(
    module: nn.Module,
    *,
    lr: float,
    weight_decay: float = 0.01,
    betas: tuple[float, float] = (0.9, 0.99),
    lr_scale: Callable[[str], float] | None = None,
) -> torch.optim.AdamW:
    """AdamW over the module's trainable parameters, in `named_parameters()` order.

    Vectors (biases, norms) get no weight decay. `lr_scale(name)` multiplies the rate of single parameters (default 1).
    Raises ValueError if nothing is trainable.
    """
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            decay = weight_decay if parameter.ndim >= 2 else 0.0
            groups.setdefault((lr_scale(name) if lr_scale else 1.0, decay), []).append(parameter)
    if not groups:
        raise ValueError(f"{type(module).__name__} has no trainable parameter: unfreeze a part or add an adapter first")
    described = [
        {"params": params, "lr": lr * scale, "scale": scale, "weight_decay": decay}
        for (scale, decay), params in groups.items()
    ]
    # foreach / fused kernels change the summation order between builds; the plain loop is reproducible.
    return torch.optim.AdamW(described, lr=lr, betas=betas, foreach=False, fused=False)


def cosine_lr(step: int, *, num_steps: int, warmup_steps: int, final_ratio: float = 0.02) -> float:
    """Factor in (0, 1] of the base learning rate at `step` (0-based): linear warm-up, then a cosine to
    `final_ratio`."""
    if warmup_steps and step < warmup_steps:
        return (step + 1) / (warmup_steps + 1)
    span = max(1, num_steps - warmup_steps)
    progress = min(1.0, (step - warmup_steps) / span)
    return final_ratio + (1.0 - final_ratio) * 0.5 * (1.0 + math.cos(math.pi * progress))


def set_lr(optimizer: torch.optim.Optimizer, lr: float) -> None:
    """Give every parameter group the rate `lr` times its own scale."""
    for group in optimizer.param_groups:
        group["lr"] = lr * group.get("scale", 1.0)


def step_seed(seed: int, step: int, stream: str = "") -> int:
    """A 63-bit seed for one step of one stream; neighbouring steps share nothing (a hash, not seed + step)."""
    digest = hashlib.blake2b(f"{seed}/{step}/{stream}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def step_generator(seed: int, step: int, stream: str = "") -> torch.Generator:
    """A CPU torch generator for one step: a resumed run draws what the straight run drew."""
    return torch.Generator().manual_seed(step_seed(seed, step, stream))


def step_rng(seed: int, step: int, stream: str = "") -> np.random.Generator:
    """A numpy generator for one step."""
    return np.random.default_rng(step_seed(seed, step, stream))
