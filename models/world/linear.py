"""The best linear guess of a flow-matching velocity, in closed form: what a network need not spend its steps on.

If clean latents had mean m and covariance S, the least-squares linear predictor of v = noise - clean from z_t = (1 - s)
clean + s noise would be -m + (s I - (1 - s) S) ((1 - s)^2 S + s^2 I)^-1 (z_t - (1 - s) m) (the Gaussian score model; Wang &
Vastola 2024). A network that predicts the residual starts at that guess and only learns what is not Gaussian.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_MIN_VARIANCE = 1e-4


class LinearGuess(nn.Module):
    """S holds, for each latent channel by itself, the covariance between all P = f * h * w places of a window.

    Buffers: `mean` (C, P); `basis` (C, P, P), eigenvectors in columns; `variance` (C, P), eigenvalues.
    """

    def __init__(self, channels: int, places: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels, places))
        self.register_buffer("basis", torch.eye(places).repeat(channels, 1, 1))
        self.register_buffer("variance", torch.ones(channels, places))
        self.mean: Tensor
        self.basis: Tensor
        self.variance: Tensor

    @torch.no_grad()
    def fit(self, latents: Tensor) -> None:
        """Fit on clean latents (N, C, f, h, w). Raises ValueError if fewer than two are given or their size differs."""
        flat = latents.flatten(2)
        if len(flat) < 2 or flat.shape[1:] != self.mean.shape:
            raise ValueError(
                f"a linear guess over {tuple(self.mean.shape)} needs 2 or more windows of latents, got {tuple(latents.shape)}"
            )
        mean = flat.mean(dim=0)
        centered = (flat - mean).transpose(0, 1)
        variance, basis = torch.linalg.eigh(centered.transpose(1, 2) @ centered / (len(flat) - 1))
        self.mean.copy_(mean)
        self.basis.copy_(basis)
        self.variance.copy_(variance.clamp_min(_MIN_VARIANCE))

    def forward(self, z_t: Tensor, sigma: Tensor) -> Tensor:
        """Velocity (B, C, f, h, w) guessed from latents `z_t` of that shape at noise level `sigma` (B,)."""
        s = sigma.view(-1, 1, 1)
        offset = z_t.flatten(2) - (1.0 - s) * self.mean
        gain = (s - (1.0 - s) * self.variance) / ((1.0 - s) ** 2 * self.variance + s**2)
        rotated = torch.einsum("bcp,cpq->bcq", offset, self.basis)
        guess = torch.einsum("bcq,cpq->bcp", gain * rotated, self.basis) - self.mean
        return guess.view_as(z_t)
