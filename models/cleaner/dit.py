"""The cleaner's network: diffusers' stock `WanTransformer3DModel` plus source and reference conditioning by one hook.

tokens = conv(z_t) + gate * conv_source(z_source); a reference is one extra latent frame whose tokens are
conv_ref(z_ref), never gated, cut off before the result is returned (Kiwi-Edit; stock forward, so rotary positions
follow sequence order).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from models.cleaner.config import DiTConfig
from models.cleaner.wan import fresh_transformer


@torch.no_grad()
def _zero(module: nn.Module) -> None:
    for parameter in module.parameters():
        parameter.zero_()


class PatchEmbedder(nn.Module):
    """One Conv3d from latents (B, C, f, h, w) to token maps (B, dim, f', h', w'); zero at the start unless told
    otherwise."""

    def __init__(self, channels: int, dim: int, patch: tuple[int, int, int], *, zero: bool = True) -> None:
        super().__init__()
        self.patch_embedding = nn.Conv3d(channels, dim, kernel_size=patch, stride=patch)
        if zero:
            _zero(self.patch_embedding)

    def forward(self, latents: Tensor) -> Tensor:
        """Embed latents; same layout as the transformer's own patch embedding before flattening."""
        return self.patch_embedding(latents)


class ContextPassThrough(nn.Module):
    """Stands where Wan's text embedder stood: the context is already at DiT width. Keeps the unused weights so that
    files load."""

    def __init__(self, text_embedder: nn.Module) -> None:
        super().__init__()
        for name, child in text_embedder.named_children():
            if any(True for _ in child.parameters()):
                self.add_module(name, child)
        self.requires_grad_(False)

    def forward(self, context: Tensor) -> Tensor:
        """Return the context unchanged."""
        return context


@dataclass
class _Conditions:
    """What the hooks read during one forward pass and what they saw; cleared afterwards so that no call leaks into the
    next."""

    source: Tensor | None = None
    gate: Tensor | None = None
    reference: Tensor | None = None
    reference_first: bool = False
    last_hidden: Tensor | None = None


@dataclass(frozen=True)
class DiTOutput:
    """`velocity` (B, C, f, h, w) and the last block's `hidden` token maps (B, dim, f', h', w') without reference
    tokens."""

    velocity: Tensor
    hidden: Tensor


class CleanerDiT(nn.Module):
    """WanTransformer3DModel + source embedder + reference embedder. `context` is (B, n, width), `sigma` (B,) in [0,
    1]."""

    def __init__(self, config: DiTConfig, *, zero_source_embedder: bool = True, zero_head: bool = False) -> None:
        super().__init__()
        self.config = config
        self.transformer = fresh_transformer(config)
        self.adopt(self.transformer)
        self.source_embedder = PatchEmbedder(config.channels, config.width, config.patch, zero=zero_source_embedder)
        self.ref_embedder = PatchEmbedder(config.channels, config.width, config.patch, zero=True)
        if zero_head:
            _zero(self.transformer.get_submodule("proj_out"))

    def adopt(self, transformer: Any) -> None:
        """Take a (pretrained) transformer as the body: replace its text embedder and place the two hooks."""
        embedder = transformer.condition_embedder
        embedder.text_embedder = ContextPassThrough(embedder.text_embedder)
        self.transformer = transformer
        self._conditions = _Conditions()
        transformer.patch_embedding.register_forward_hook(self._embed_hook)
        transformer.blocks[-1].register_forward_hook(self._hidden_hook)

    def forward(
        self,
        z_t: Tensor,
        sigma: Tensor,
        context: Tensor,
        *,
        source: Tensor | None = None,
        gate: Tensor | None = None,
        reference: Tensor | None = None,
        reference_first: bool = False,
        timestep: Tensor | None = None,
    ) -> DiTOutput:
        """Velocity of `z_t` (B, C, f, h, w) at noise level `sigma`.

        `gate` (B,) scales the source embedding (default: sigma); `reference` (B, C, r, h, w) are r reference latent
        frames with temporal patch 1; `timestep` defaults to 1000 sigma.
        """
        num_refs = reference.shape[2] if reference is not None else 0
        self._conditions = _Conditions(source, sigma if gate is None else gate, reference, reference_first)
        padding = z_t.new_zeros(*z_t.shape[:2], num_refs, *z_t.shape[3:])
        padded = torch.cat([padding, z_t] if reference_first else [z_t, padding], dim=2) if num_refs else z_t
        try:
            steps = 1000.0 * sigma if timestep is None else timestep
            velocity = self.transformer(padded, steps, context, return_dict=False)[0]
            hidden = self._conditions.last_hidden
        finally:
            self._conditions = _Conditions()
        if hidden is None:
            raise RuntimeError(
                "the last transformer block did not run: was the body replaced without CleanerDiT.adopt?"
            )
        return DiTOutput(
            self._cut(velocity, num_refs, reference_first), self._maps(hidden, padded, num_refs, reference_first)
        )

    @staticmethod
    def _cut(value: Tensor, num_refs: int, first: bool) -> Tensor:
        if not num_refs:
            return value
        return value[:, :, num_refs:] if first else value[:, :, : value.shape[2] - num_refs]

    def _maps(self, hidden: Tensor, padded: Tensor, num_refs: int, first: bool) -> Tensor:
        grid = [size // step for size, step in zip(padded.shape[2:], self.config.patch, strict=True)]
        return self._cut(hidden.transpose(1, 2).unflatten(2, grid), num_refs, first)

    def _embed_hook(self, _module: nn.Module, _inputs: tuple[Tensor, ...], tokens: Tensor) -> Tensor:
        given = self._conditions
        num_refs = given.reference.shape[2] if given.reference is not None else 0
        video = self._cut(tokens, num_refs, given.reference_first)
        if given.source is not None and given.gate is not None:
            video = video + given.gate.view(-1, 1, 1, 1, 1) * self.source_embedder(given.source)
        if given.reference is None:
            return video
        reference = self.ref_embedder(given.reference)
        return torch.cat([reference, video] if given.reference_first else [video, reference], dim=2)

    def _hidden_hook(self, _module: nn.Module, _inputs: tuple[Tensor, ...], hidden: Tensor) -> None:
        self._conditions.last_hidden = hidden
