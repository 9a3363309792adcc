"""Flow-matching schedules: the training table, the published loss weights and the sampler's sigmas (spec: Kiwi-Edit,
Wan).

sigma is the share of the prior in [0, 1]; timestep = 1000 sigma; u runs from 1 to 0 before the shift s u / (1 + (s - 1)
u).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

NUM_TRAIN_TIMESTEPS = 1000
SIGMA_MIN_PORT = 0.003 / 1.002


def shift_sigmas(u: Tensor, shift: float) -> Tensor:
    """Timestep shift of Wan: sigma = shift u / (1 + (shift - 1) u)."""
    return shift * u / (1.0 + (shift - 1.0) * u)


@dataclass(frozen=True)
class TrainTable:
    """1,000 rows from pure prior to almost clean: `sigmas`, `timesteps` (= 1000 sigma) and loss `weights` (mean 1),
    float32."""

    sigmas: Tensor
    timesteps: Tensor
    weights: Tensor

    def bf16_rows(self) -> Tensor:
        """Rows (int64) that Kiwi-Edit really uses: its timestep is rounded to bfloat16 and looked up again (706 rows
        move)."""
        rounded = self.timesteps.to(torch.bfloat16).float()
        return (self.timesteps[None] - rounded[:, None]).abs().argmin(dim=1)


def train_table(shift: float = 5.0, *, weighting: Literal["kiwi", "uniform"] = "kiwi") -> TrainTable:
    """The training schedule: sigma from the shifted `linspace(1, 0, 1001)[:-1]`; bell weights or ones."""
    u = torch.linspace(1.0, 0.0, NUM_TRAIN_TIMESTEPS + 1, dtype=torch.float64)[:-1]
    sigmas = shift_sigmas(u, shift)
    timesteps = sigmas * NUM_TRAIN_TIMESTEPS
    weights = loss_weights(timesteps) if weighting == "kiwi" else torch.ones_like(timesteps)
    return TrainTable(sigmas.float(), timesteps.float(), weights.float())


def loss_weights(timesteps: Tensor) -> Tensor:
    """exp(-2 ((t - 500) / 1000)^2), minus its minimum, scaled to mean 1 over the table. Row 0 weighs exactly 0."""
    bell = torch.exp(-2.0 * ((timesteps - NUM_TRAIN_TIMESTEPS / 2) / NUM_TRAIN_TIMESTEPS) ** 2)
    bell = bell - bell.min()
    return bell * (len(bell) / bell.sum())


def inference_sigmas(num_steps: int, shift: float = 5.0, *, sigma_min: float = 0.0) -> Tensor:
    """Sigmas of `num_steps` Euler steps, float32 (num_steps + 1,), ending in 0.

    sigma_min 0 is the training code's pipeline, `SIGMA_MIN_PORT` the published diffusers port; with few steps they
    differ much.
    """
    if num_steps < 1:
        raise ValueError(f"num_steps must be >= 1, got {num_steps}")
    u = torch.linspace(1.0, sigma_min, num_steps + 1, dtype=torch.float64)[:-1]
    return torch.cat([shift_sigmas(u, shift), torch.zeros(1, dtype=torch.float64)]).float()
