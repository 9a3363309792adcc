"""The best linear guess of a flow-matching velocity, in closed form: what a network need not spend its steps on.

For clean latents of mean m and covariance S the least-squares linear predictor of v = noise - clean, given z_t = (1 - s)
clean + s noise, is -m + (s I - (1 - s) S) ((1 - s)^2 S + s^2 I)^-1 (z_t - (1 - s) m): the score of a Gaussian (Wang &
Vastola 2024). A network that predicts the residual starts there and only learns what is not Gaussian.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_MIN_VARIANCE = 1e-4


class LinearGuess(nn.Module):
    """Covariance of whole windows (D = C * f * h * w): `rank` principal directions, and one variance for all others.

    Buffers: `mean` (D,); `basis` (D, rank), orthonormal columns; `variance` (rank,); `rest` (), variance per direction
    outside the basis.
    """

    def __init__(self, size: int, rank: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("basis", torch.zeros(size, rank))
        self.register_buffer("variance", torch.ones(rank))
        self.register_buffer("rest", torch.ones(()))
        self.mean: Tensor
        self.basis: Tensor
        self.variance: Tensor
        self.rest: Tensor

    @torch.no_grad()
    def fit(self, latents: Tensor) -> None:
        """Fit on clean latents (N, C, f, h, w) with N > rank; raises ValueError for fewer or for another size."""
        flat = latents.flatten(1)
        size, rank = self.basis.shape
        if flat.shape[1] != size or len(flat) <= rank:
            raise ValueError(
                f"a linear guess of rank {rank} needs more than {rank} windows of {size} latents, got {tuple(flat.shape)}"
            )
        mean = flat.mean(dim=0)
        centered = flat - mean
        _, scales, directions = torch.linalg.svd(centered, full_matrices=False)
        variances = scales.square() / (len(flat) - 1)
        self.mean.copy_(mean)
        self.basis.copy_(directions[:rank].T)
        self.variance.copy_(variances[:rank].clamp_min(_MIN_VARIANCE))
        self.rest.copy_((variances[rank:].sum() / max(1, size - rank)).clamp_min(_MIN_VARIANCE))

    def forward(self, z_t: Tensor, sigma: Tensor) -> Tensor:
        """Velocity (B, C, f, h, w) guessed from latents `z_t` of that shape at noise level `sigma` (B,)."""
        s = sigma.view(-1, 1)
        offset = z_t.flatten(1) - (1.0 - s) * self.mean
        outside = _gain(self.rest, s)
        inside = (offset @ self.basis) * (_gain(self.variance, s) - outside)
        return (outside * offset + inside @ self.basis.T - self.mean).view_as(z_t)


def _gain(variance: Tensor, s: Tensor) -> Tensor:
    """Slope of the guess along a direction of that variance."""
    return (s - (1.0 - s) * variance) / ((1.0 - s) ** 2 * variance + s**2)
