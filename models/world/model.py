"""The action-conditioned video model: codec, transformer with action modules, and how a first frame and actions enter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from models.cleaner.codec import PatchPCA, WanCodec, build_codec
from models.world.body import ActionBody, coordinate_channels
from models.world.config import WorldConfig
from models.world.context import build_context
from models.world.motion import MotionHead, warp_video

MASK_CHANNELS = 4
CAPTION = "gameplay video seen by the player"
"""The one caption of an action model: it is steered by its first frame and its actions, not by text."""


@dataclass(frozen=True)
class Conditions:
    """What is given: `first` frame (B, 3, h, w) in [-1, 1], `image` latents (B, C, f, h', w') of the fill, `source` latents
    of the first frame repeated, `keyboard` (B, N, keys) in {0, 1}, `mouse` (B, N, 2) in mouse units."""

    first: Tensor
    image: Tensor
    source: Tensor
    keyboard: Tensor
    mouse: Tensor


@dataclass(frozen=True)
class Estimate:
    """One network call: `clean` latents (x0), and with a motion head `pixels` (B, 3, T, h, w) and `displacement`
    (B, T - 1, 2, h, w)."""

    clean: Tensor
    velocity: Tensor
    pixels: Tensor | None = None
    displacement: Tensor | None = None


def to_pixels(frames: np.ndarray) -> Tensor:
    """Frames (..., T, h, w, 3) uint8 -> (..., 3, T, h, w) float in [-1, 1]."""
    video = torch.from_numpy(np.ascontiguousarray(frames)).float() / 127.5 - 1.0
    return video.movedim(-1, -4)


def to_frames(pixels: Tensor) -> np.ndarray:
    """(B, 3, T, h, w) in [-1, 1] -> (B, T, h, w, 3) uint8."""
    return ((pixels.clamp(-1, 1) + 1.0) * 127.5).round().to(torch.uint8).movedim(1, -1).contiguous().numpy()


class ActionWorld(nn.Module):
    """Codec + context + `ActionBody` (+ `MotionHead`). All weights but a pretrained body's lie in the checkpoint."""

    def __init__(self, config: WorldConfig) -> None:
        super().__init__()
        self.config = config
        self.codec: PatchPCA | WanCodec = build_codec(config.codec)
        self.context = build_context(config.context, [CAPTION], config.dit.text_dim)
        extra = MASK_CHANNELS + config.codec.channels + (2 if config.coordinates else 0)
        self.body = ActionBody(config.dit, config.actions, extra)
        self.motion = MotionHead(config.motion, config.dit.width, config.codec.patch[0]) if config.motion else None
        if self.motion is not None:
            # The head's residual starts at zero: a fresh model repeats its first frame, but for the head's tiny motion.
            nn.init.zeros_(self.body.transformer.proj_out.weight)
            nn.init.zeros_(self.body.transformer.proj_out.bias)

    @torch.no_grad()
    def conditions(self, first: Tensor, actions: Tensor, num_frames: int) -> Conditions:
        """Encode what is given. `first` (B, 3, h, w); `actions` (B, N, keys + mouse), mouse in degrees, columns KEYS + MOUSE."""
        repeated = first[:, :, None].expand(-1, -1, num_frames, -1, -1)
        source = self.codec.encode(repeated)
        if self.config.fill == "repeat":
            image = source
        else:
            gray = torch.cat([first[:, :, None], torch.zeros_like(repeated[:, :, 1:])], dim=2)
            image = self.codec.encode(gray)
        keys = self.config.actions.num_keys
        mouse = actions[..., keys:] / self.config.actions.mouse_unit_degrees
        return Conditions(first, image, source, actions[..., :keys], mouse)

    def predict(self, z_t: Tensor, sigma: Tensor, given: Conditions) -> Estimate:
        """Estimate from latents `z_t` (B, C, f, h', w') at noise level `sigma` (B,)."""
        context = self.context([CAPTION] * len(z_t)).to(z_t.dtype)
        noisy = torch.cat([z_t, *self._condition_channels(given.image)], dim=1)
        output, hidden = self.body(noisy, 1000.0 * sigma, context, given.keyboard, given.mouse)
        wide = sigma.view(-1, 1, 1, 1, 1)
        if self.motion is None:
            return Estimate(z_t - wide * output, output)
        grid = (z_t.shape[2], z_t.shape[3], z_t.shape[4])
        displacement = self.motion(hidden, grid, (given.first.shape[-2], given.first.shape[-1]))
        moved = warp_video(given.first, displacement)
        residual = self.codec.decode(output) - self.codec.decode(torch.zeros_like(output[:1]))
        pixels = torch.cat([given.first[:, :, None], moved + residual[:, :, 1:]], dim=2)
        clean = self.codec.encode(pixels)
        return Estimate(clean, (z_t - clean) / wide.clamp_min(1e-3), pixels, displacement)

    def _condition_channels(self, image: Tensor) -> list[Tensor]:
        batch, _, frames, rows, columns = image.shape
        mask = image.new_zeros(batch, MASK_CHANNELS, frames, rows, columns)
        mask[:, :, 0] = 1.0
        parts = [mask, image]
        if self.config.coordinates:
            parts.append(coordinate_channels(image))
        return parts
