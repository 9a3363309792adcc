"""Motion-compensated prediction: displacements per cell, a warped first frame, and a photometric loss on a pyramid."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.world.config import MotionConfig

NUM_BASIS = 6
"""Smooth fields of a turning or walking camera: 1, x, y, x^2, xy, y^2."""


class MotionHead(nn.Module):
    """Tokens (B, f * h * w, width) -> displacement fields (B, T - 1, 2, height, width) in pixels, for frames 1 .. T - 1.

    Pixel p of frame t is fetched at p + d of the first frame, d = t * velocity. The velocity is a smooth field of the whole
    picture, read off the mean of a latent frame's tokens, plus a part of each token's own: a camera needs few numbers, and
    what does not follow it (the weapon, what is near) needs its place. Nearly zero at the start: with zero weights here and
    in the action modules, neither would get a gradient through the other.
    """

    def __init__(self, config: MotionConfig, width: int, ratio: int) -> None:
        super().__init__()
        self.config, self.ratio = config, ratio
        self.norm = nn.LayerNorm(width)
        self.camera = nn.Linear(width, ratio * 2 * NUM_BASIS)
        self.local = nn.Linear(width, ratio * 2 * config.cells**2)
        for layer in (self.camera, self.local):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def forward(self, hidden: Tensor, grid: tuple[int, int, int], size: tuple[int, int]) -> Tensor:
        """`grid` = latent frames, rows and columns of tokens; `size` = (height, width) in pixels."""
        later = self.norm(hidden).unflatten(1, grid)[:, 1:]
        velocity = self._camera(later, size) + self._local(later, grid, size)
        elapsed = torch.arange(1, velocity.shape[1] + 1, dtype=hidden.dtype, device=hidden.device)
        return velocity * (self.config.unit_px * elapsed.view(1, -1, 1, 1, 1))

    def _camera(self, later: Tensor, size: tuple[int, int]) -> Tensor:
        """Smooth fields (B, T - 1, 2, height, width) of (B, f - 1, rows, columns, width) tokens."""
        weights = self.camera(later.mean(dim=(2, 3))).unflatten(-1, (self.ratio, 2, NUM_BASIS)).flatten(1, 2)
        y = torch.linspace(-1.0, 1.0, size[0], dtype=later.dtype, device=later.device)[:, None].expand(size)
        x = torch.linspace(-1.0, 1.0, size[1], dtype=later.dtype, device=later.device)[None].expand(size)
        basis = torch.stack([torch.ones_like(x), x, y, x * x, x * y, y * y])
        return torch.einsum("btck,khw->btchw", weights, basis)

    def _local(self, later: Tensor, grid: tuple[int, int, int], size: tuple[int, int]) -> Tensor:
        """Each token's own cells, enlarged to pixels."""
        frames, rows, columns = grid
        cells = self.config.cells
        split = self.local(later).view(len(later), frames - 1, rows, columns, self.ratio, 2, cells, cells)
        # (B, j, r, c, t, xy, y, x) -> (B, j * t, xy, r * y, c * x)
        field = split.permute(0, 1, 4, 5, 2, 6, 3, 7).reshape(-1, 2, rows * cells, columns * cells)
        wide = F.interpolate(field, size=size, mode="bilinear", align_corners=False)
        return wide.unflatten(0, (len(later), -1))


def warp(image: Tensor, displacement: Tensor) -> Tensor:
    """Fetch `image` (N, C, h, w) at p + displacement (N, 2, h, w; x then y, pixels); the border pixel outside."""
    height, width = image.shape[-2:]
    ys = torch.arange(height, dtype=image.dtype, device=image.device)[:, None]
    xs = torch.arange(width, dtype=image.dtype, device=image.device)[None]
    x = (2.0 * (xs + displacement[:, 0]) + 1.0) / width - 1.0
    y = (2.0 * (ys + displacement[:, 1]) + 1.0) / height - 1.0
    return F.grid_sample(
        image, torch.stack([x, y], dim=-1), mode="bilinear", padding_mode="border", align_corners=False
    )


def warp_video(first: Tensor, displacement: Tensor) -> Tensor:
    """First frame (B, 3, h, w) under fields (B, T - 1, 2, h, w) -> frames 1 .. T - 1 as (B, 3, T - 1, h, w)."""
    steps = displacement.shape[1]
    images = first[:, None].expand(-1, steps, -1, -1, -1).flatten(0, 1)
    return warp(images, displacement.flatten(0, 1)).unflatten(0, (len(first), steps)).transpose(1, 2)


def pyramid_loss(first: Tensor, displacement: Tensor, target: Tensor, num_levels: int) -> Tensor:
    """Mean robust difference between warped and real frames on `num_levels` resolutions (level l: sides / 2^l).

    Both picture and field are reduced before warping: a coarse level sees far displacements that a fine one cannot. First
    frame (B, 3, h, w), fields (B, T - 1, 2, h, w), target (B, 3, T - 1, h, w).
    """
    steps = displacement.shape[1]
    field, real = displacement.flatten(0, 1), target.transpose(1, 2).flatten(0, 1)
    total = first.new_zeros(())
    for level in range(num_levels):
        if level:
            first, field, real = F.avg_pool2d(first, 2), F.avg_pool2d(field, 2) / 2.0, F.avg_pool2d(real, 2)
        images = first[:, None].expand(-1, steps, -1, -1, -1).flatten(0, 1)
        total = total + robust(warp(images, field) - real)
    return total / num_levels


def robust(difference: Tensor, epsilon: float = 0.02) -> Tensor:
    """Mean Charbonnier penalty: pixels that come into view must not outvote those that moved."""
    return torch.sqrt(difference.float().square() + epsilon**2).mean()
