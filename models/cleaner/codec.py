"""Latent codecs: pixels (B, 3, T, h, w) in [-1, 1] <-> latents (B, C, f, h', w'), f = 1 + (T - 1) / 4 as in Wan.

`PatchPCA` is closed form (fitted on patches, whitened, stored in the checkpoint); `WanCodec` wraps diffusers'
`AutoencoderKLWan`.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor, nn

from models.cleaner.config import CodecConfig
from models.cleaner.weights import resolve_weights


class Codec(Protocol):
    """What the cleaner asks of a codec; both directions are differentiable where the codec trains nothing."""

    def encode(self, pixels: Tensor) -> Tensor:
        """Pixels (B, 3, T, h, w) in [-1, 1] with T = 4n + 1 -> latents (B, C, n + 1, h', w')."""

    def decode(self, latents: Tensor) -> Tensor:
        """Latents -> pixels (B, 3, T, h, w), not clamped."""


def check_frames(num_frames: int, group: int) -> int:
    """Number of latent frames of `num_frames` pixel frames; raises ValueError unless it is group * n + 1."""
    if num_frames < 1 or (num_frames - 1) % group:
        raise ValueError(f"a codec with time step {group} takes {group}n+1 frames, got {num_frames}")
    return 1 + (num_frames - 1) // group


class PatchPCA(nn.Module):
    """Linear patch autoencoder: project (time, row, column, RGB) patches on principal components, whitened.

    The first frame is repeated to fill its group, so that 4n + 1 frames give n + 1 latent frames as Wan's causal VAE
    does. Buffers: `mean` (D,), `basis` (D, C) orthonormal columns, `scale` (C,) standard deviations.
    """

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.patch = config.patch
        size = 3 * config.patch[0] * config.patch[1] * config.patch[2]
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("basis", torch.zeros(size, config.channels))
        self.register_buffer("scale", torch.ones(config.channels))
        self.mean: Tensor
        self.basis: Tensor
        self.scale: Tensor

    @torch.no_grad()
    def fit(self, patches: Tensor, *, num_iterations: int = 6, seed: int = 0) -> float:
        """Fit on patches (N, D) float by subspace iteration (D is too wide for a full decomposition in a small budget).

        Returns the explained share of variance. Raises ValueError if N is below the number of channels.
        """
        channels = self.basis.shape[1]
        if len(patches) < channels:
            raise ValueError(f"PatchPCA needs at least {channels} patches, got {len(patches)}")
        mean = patches.mean(0)
        centered = patches - mean
        width = min(channels + 16, *centered.shape)
        block = torch.randn(centered.shape[1], width, generator=torch.Generator().manual_seed(seed))
        for _ in range(num_iterations):
            block = torch.linalg.qr(centered.T @ (centered @ block))[0]
        _, values, rows = torch.linalg.svd(centered @ block, full_matrices=False)
        top = (block @ rows.T)[:, :channels]
        # A component's sign is arbitrary; fix it so that equal patches give equal bytes.
        top = top * torch.sign(top.gather(0, top.abs().argmax(0, keepdim=True)))
        self.mean.copy_(mean)
        self.basis.copy_(top)
        self.scale.copy_((values[:channels] / max(1, len(patches) - 1) ** 0.5).clamp_min(1e-4))
        return float(values[:channels].square().sum() / centered.square().sum().clamp_min(1e-12))

    def patches(self, pixels: Tensor) -> Tensor:
        """Pixels (B, 3, T, h, w) -> patch maps (B, f, h', w', D); raises ValueError for sizes that do not divide."""
        t, p, q = self.patch
        _, _, frames, height, width = pixels.shape
        latent_frames = check_frames(frames, t)
        if height % p or width % q:
            raise ValueError(f"frame size {width}x{height} is no multiple of the codec's {q}x{p} patch")
        first = pixels[:, :, :1].expand(-1, -1, t, -1, -1)
        filled = torch.cat([first, pixels[:, :, 1:]], dim=2)
        split = filled.reshape(len(pixels), 3, latent_frames, t, height // p, p, width // q, q)
        return split.permute(0, 2, 4, 6, 3, 5, 7, 1).flatten(4)

    def encode(self, pixels: Tensor) -> Tensor:
        """See Codec.encode; whitened coefficients have about unit variance on the fitting data."""
        coefficients = ((self.patches(pixels) - self.mean) @ self.basis) / self.scale
        return coefficients.permute(0, 4, 1, 2, 3).contiguous()

    def decode(self, latents: Tensor) -> Tensor:
        """See Codec.decode; the first group's frames are averaged into frame 0."""
        t, p, q = self.patch
        flat = (latents.permute(0, 2, 3, 4, 1) * self.scale) @ self.basis.T + self.mean
        batch, frames, rows, columns, _ = flat.shape
        split = flat.view(batch, frames, rows, columns, t, p, q, 3).permute(0, 7, 1, 4, 2, 5, 3, 6)
        video = split.reshape(batch, 3, frames * t, rows * p, columns * q)
        return torch.cat([video[:, :, :t].mean(dim=2, keepdim=True), video[:, :, t:]], dim=2)


class WanCodec(nn.Module):
    """diffusers' `AutoencoderKLWan`, frozen, with its latent mean and standard deviation applied."""

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        from diffusers import AutoencoderKLWan

        self.vae: Any  # diffusers' classes carry no types
        if config.tiny_vae:
            # Random weights: shapes and plumbing only; presets that score anything name real weights.
            self.vae = AutoencoderKLWan(
                base_dim=8,
                z_dim=config.channels,
                dim_mult=[1, 1, 1, 1],
                num_res_blocks=1,
                temperal_downsample=[False, True, True],
                latents_mean=[0.0] * config.channels,
                latents_std=[1.0] * config.channels,
            )
        elif config.weights is None:
            raise ValueError(
                "CodecConfig(kind='wan') needs `weights` (a directory or hub id) or `tiny_vae=True` for shape tests"
            )
        else:
            folder = resolve_weights(config.weights, subfolder="vae")
            self.vae = AutoencoderKLWan.from_pretrained(folder, local_files_only=True)
        self.vae.requires_grad_(False).eval()
        shape = (1, -1, 1, 1, 1)
        self.register_buffer("latents_mean", torch.tensor(self.vae.config.latents_mean).view(shape), persistent=False)
        self.register_buffer("latents_std", torch.tensor(self.vae.config.latents_std).view(shape), persistent=False)
        self.latents_mean: Tensor
        self.latents_std: Tensor

    def encode(self, pixels: Tensor) -> Tensor:
        """See Codec.encode; the mode of the posterior, normalized."""
        latents = self.vae.encode(pixels).latent_dist.mode()
        return (latents - self.latents_mean) / self.latents_std

    def decode(self, latents: Tensor) -> Tensor:
        """See Codec.decode."""
        return self.vae.decode(latents * self.latents_std + self.latents_mean, return_dict=False)[0]


def build_codec(config: CodecConfig) -> PatchPCA | WanCodec:
    """The codec a configuration names."""
    return PatchPCA(config) if config.kind == "pca" else WanCodec(config)
