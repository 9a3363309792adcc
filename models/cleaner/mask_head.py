"""UI mask head: DiT features say what is interface, a small pixel branch says exactly where it ends.

Screen-space elements stay where they are while the world moves, so the pixel branch sees how steady each pixel and each
edge is, over the window and over the whole shot, beside the frame itself and the change the transformer proposes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.cleaner.config import MaskHeadConfig

_PIXEL_CHANNELS = 16
_FINE = 12  # features at full inner size
_SUB = 4  # sub-tokens per token side that the DiT features are unfolded to


def group_frames(video: Tensor, num_groups: int) -> Tensor:
    """Average (B, C, T, h, w) over the codec's time groups -> (B, C, f, h, w); the first group is frame 0 alone."""
    if num_groups == 1:
        return video[:, :, :1]
    rest = video[:, :, 1:]
    pooled = rest.unflatten(2, (num_groups - 1, -1)).mean(dim=3)
    return torch.cat([video[:, :, :1], pooled], dim=2)


def take_groups(maps: Tensor, groups: Tensor) -> Tensor:
    """Of (B, C, f, h, w) the latent frames `groups` (B, n) int64 -> (B, C, n, h, w)."""
    samples = torch.arange(len(maps), device=maps.device)[:, None]
    return maps[samples, :, groups].transpose(1, 2)


@dataclass(frozen=True)
class Seen:
    """What the mask is read off: the window's `pixels` (B, 3, T, h, w) and `far` frames of its shot (B, 3, n, h, w), both
    in [-1, 1]."""

    pixels: Tensor
    far: Tensor

    def tail(self, first: int) -> Seen:
        """The samples from `first` on."""
        return Seen(self.pixels[first:], self.far[first:])


def steadiness(video: Tensor) -> Tensor:
    """Maps (B, 3, h, w) of a video (B, 3, T, h, w): luma standard deviation over time; length of the mean gradient and
    mean length of the gradient (equal for a fixed overlay, very different for moving texture)."""
    luma = video.mean(dim=1)
    steady = (luma - luma.mean(dim=1, keepdim=True)).square().mean(dim=1).sqrt()  # `std` is five times slower on CPU
    dx = F.pad(luma[..., :, 2:] - luma[..., :, :-2], (1, 1))
    dy = F.pad(luma[..., 2:, :] - luma[..., :-2, :], (0, 0, 1, 1))
    fixed = (dx.mean(1).square() + dy.mean(1).square() + 1e-8).sqrt()
    moving = (dx.square() + dy.square() + 1e-8).sqrt().mean(dim=1)
    return torch.stack([steady, fixed, moving], dim=1)


def pixel_evidence(seen: Seen, output: Tensor, num_groups: int) -> Tensor:
    """Evidence maps (B, 16, f, h, w) from what is seen and the proposed output video (B, 3, T, h, w) in [-1, 1].

    Channels: mean color of the group (3); change proposed (3); steadiness over the window (3) and over the shot (3); mean
    color over the shot (3), and how far the group's is from it (1).
    """
    color = group_frames(seen.pixels, num_groups)
    change = group_frames((seen.pixels - output).abs(), num_groups)
    usual = seen.far.mean(dim=2, keepdim=True)
    away = (color - usual).abs().mean(dim=1, keepdim=True)
    steady = torch.cat([steadiness(seen.pixels), steadiness(seen.far)], dim=1)[:, :, None]
    still = torch.cat([2.0 * steady, usual], dim=1).expand(-1, -1, num_groups, -1, -1)
    return torch.cat([color, 2.0 * change, still, 2.0 * away], dim=1)


class MaskHead(nn.Module):
    """(hidden token maps, evidence) -> mask logits (B, f, h, w) at inner pixel resolution, one map per latent frame."""

    def __init__(self, config: MaskHeadConfig, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.tokens = nn.Linear(dim, config.token_features * _SUB * _SUB)
        # Two convolutions instead of one over the concatenation: pixels need no gradient, and it is the dearer half.
        self.conv_pixels = nn.Conv2d(4 * _PIXEL_CHANNELS, config.width, 3, padding=1)
        self.conv_tokens = nn.Conv2d(config.token_features, config.width, 3, padding=1)
        self.conv_mid = nn.Conv2d(config.width, config.width, 3, padding=2, dilation=2)
        self.conv_wide = nn.Conv2d(config.width, config.width, 3, padding=4, dilation=4)
        self.conv_up = nn.Conv2d(config.width, 4 * _FINE, 3, padding=1)
        self.conv_fine = nn.Conv2d(_PIXEL_CHANNELS, _FINE, 3, padding=1)
        self.conv_out = nn.Conv2d(_FINE, 1, 3, padding=1)
        # Most pixels are not interface: start near that prior instead of spending steps to reach it.
        self.conv_out.get_parameter("bias").data.fill_(-2.0)

    def forward(self, hidden: Tensor, evidence: Tensor) -> Tensor:
        """`hidden` (B, dim, f, h', w'), `evidence` (B, 16, f, h, w) with even h, w."""
        batch, _, frames = hidden.shape[:3]
        tokens = self.tokens(self.norm(hidden.permute(0, 2, 3, 4, 1).flatten(0, 1)))
        maps = F.pixel_shuffle(tokens.permute(0, 3, 1, 2), _SUB)
        pixels = F.pixel_unshuffle(evidence.transpose(1, 2).flatten(0, 1), 2)
        maps = F.interpolate(maps, size=pixels.shape[-2:], mode="bilinear", align_corners=False)
        features = F.gelu(self.conv_pixels(pixels) + self.conv_tokens(maps))
        features = features + F.gelu(self.conv_mid(features))
        features = features + F.gelu(self.conv_wide(features))
        # What surrounds a pixel was seen at half the size; where an edge runs is seen at the full one.
        fine = self.conv_fine(evidence.transpose(1, 2).flatten(0, 1))
        logits = self.conv_out(F.gelu(F.pixel_shuffle(self.conv_up(features), 2) + fine))
        return logits.view(batch, frames, *evidence.shape[-2:])


def mask_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Weighted cross-entropy + soft Dice of logits (B, f, h, w) against targets in [0, 1]: small glyphs count as much
    as panels."""
    weight = 1.0 + target
    entropy = (F.binary_cross_entropy_with_logits(logits, target, reduction="none") * weight).mean()
    probability = logits.sigmoid()
    overlap = (probability * target).sum(dim=(1, 2, 3))
    dice = 1.0 - (2.0 * overlap + 1.0) / (probability.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3)) + 1.0)
    return entropy + 0.3 * dice.mean()
