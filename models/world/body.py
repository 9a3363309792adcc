"""The transformer of both world models: diffusers' stock `WanTransformer3DModel`, widened at its input, hooked, not forked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from diffusers import WanTransformer3DModel
from torch import Tensor, nn
from torch.nn import functional as F

from models.cleaner.config import DiTConfig
from models.cleaner.wan import fresh_transformer
from models.cleaner.weights import resolve_weights
from models.world.action_module import ActionModule
from models.world.config import ActionConfig


def build_transformer(config: DiTConfig, extra_channels: int = 0) -> Any:
    """A Wan transformer that takes `channels + extra_channels` and returns `channels`.

    With `config.weights` the pretrained body is loaded and its patch embedding widened by zero columns, so that at the start
    the extra channels change nothing. It stays frozen but for that embedding. Raises MissingWeightsError if the directory is
    absent.
    """
    if config.weights is not None:
        folder = resolve_weights(config.weights, subfolder="transformer")
        transformer = WanTransformer3DModel.from_pretrained(folder, local_files_only=True)
        transformer.requires_grad_(False)
        if extra_channels:
            widen_input(transformer, extra_channels)
        return transformer
    return fresh_transformer(config, extra_channels)


@torch.no_grad()
def widen_input(transformer: Any, extra_channels: int) -> None:
    """Append zero input columns to the patch embedding: conditions are concatenated after the noisy latents."""
    old = transformer.patch_embedding
    new = nn.Conv3d(old.in_channels + extra_channels, old.out_channels, old.kernel_size, old.stride).to(old.weight)
    new.weight.zero_()
    new.weight[:, : old.in_channels] = old.weight
    if old.bias is not None and new.bias is not None:
        new.bias.copy_(old.bias)
    transformer.patch_embedding = new
    transformer.register_to_config(in_channels=new.in_channels)


def coordinate_channels(latents: Tensor) -> Tensor:
    """Column and row of every place in [-1, 1], (B, 2, f, h, w), for latents (B, C, f, h, w): rotary codes know only
    distances."""
    batch, _, frames, rows, columns = latents.shape
    theta = torch.eye(2, 3, dtype=latents.dtype, device=latents.device)[None]
    lattice = F.affine_grid(theta, [1, 1, rows, columns], align_corners=False)[0].movedim(-1, 0)
    return lattice[None, :, None].expand(batch, -1, frames, -1, -1)


@dataclass
class _Given:
    """What the hooks read during one forward pass; cleared afterwards so that no call leaks into the next."""

    keyboard: Tensor | None = None
    mouse: Tensor | None = None
    num_latent_frames: int = 0
    before_attention: Tensor | None = None
    last_hidden: Tensor | None = None


class ActionBody(nn.Module):
    """Transformer with action modules after the cross-attention and before the feed-forward of chosen blocks."""

    def __init__(self, dit: DiTConfig, actions: ActionConfig, extra_channels: int) -> None:
        super().__init__()
        self.transformer = build_transformer(dit, extra_channels)
        width = self.transformer.config.num_attention_heads * self.transformer.config.attention_head_dim
        self.actions = nn.ModuleDict({str(index): ActionModule(actions, width) for index in actions.blocks})
        self._given = _Given()
        for index in actions.blocks:
            self._place(self.transformer.blocks[index], index)
        self.transformer.blocks[-1].register_forward_hook(self._keep_hidden)

    def forward(
        self, latents: Tensor, timestep: Tensor, context: Tensor, keyboard: Tensor, mouse: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Output (B, C, f, h, w) and the last block's tokens (B, f * S, width), from latents with their conditions
        concatenated on channels, timesteps (B,), context (B, n, text_dim) and action rows (B, N, .)."""
        frames = latents.shape[2] // self.transformer.config.patch_size[0]
        self._given = _Given(keyboard, mouse, frames)
        try:
            output = self.transformer(latents, timestep, context, return_dict=False)[0]
            hidden = self._given.last_hidden
        finally:
            self._given = _Given()
        if hidden is None:
            raise RuntimeError(
                "the last transformer block did not run: was the body replaced after its hooks were placed?"
            )
        return output, hidden

    def _place(self, block: Any, index: int) -> None:
        """The block adds attn2's output to its features: the module's residual rides on that output."""

        def before(_module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            self._given.before_attention = inputs[0]

        def after(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
            given = self._given
            if given.keyboard is None or given.before_attention is None:
                return output
            features = given.before_attention.to(output.dtype) + output
            changed = self.actions[str(index)](features, given.keyboard, given.mouse, given.num_latent_frames)
            return output + (changed - features)

        block.norm2.register_forward_pre_hook(before)
        block.attn2.register_forward_hook(after)

    def _keep_hidden(self, _module: nn.Module, _inputs: tuple[Tensor, ...], hidden: Tensor) -> None:
        self._given.last_hidden = hidden
