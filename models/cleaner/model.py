"""GameCleaner: codec, DiT, condition encoder and mask head as one module. It knows nothing of training loops or
files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from diffusers import WanTransformer3DModel
from peft import LoraConfig
from torch import Tensor, nn

from models.cleaner.codec import build_codec
from models.cleaner.config import CleanerConfig
from models.cleaner.dit import CleanerDiT
from models.cleaner.mask_head import MaskHead, Seen, pixel_evidence, take_groups
from models.cleaner.mllm import MLLMEncoder
from models.cleaner.weights import resolve_weights


@dataclass(frozen=True)
class Prediction:
    """One network call: `velocity` and `clean` latents (B, C, f, h', w'), `hidden` token maps (B, dim, f, h', w') that the
    mask is read off."""

    velocity: Tensor
    clean: Tensor
    hidden: Tensor

    def tail(self, first: int) -> Prediction:
        """The samples from `first` on."""
        return Prediction(self.velocity[first:], self.clean[first:], self.hidden[first:])


class GameCleaner(nn.Module):
    """The whole model of one configuration. Pixels are (B, 3, T, h, w) in [-1, 1]; see `to_pixels`."""

    def __init__(self, config: CleanerConfig) -> None:
        super().__init__()
        self.config = config
        flow = config.flow
        self.codec = build_codec(config.codec)
        self.dit = CleanerDiT(
            config.dit,
            zero_source_embedder=flow.zero_source_embedder,
            # Zero velocity at step 0: with the source prior an untrained cleaner is the identity (in the codec's
            # terms).
            zero_head=flow.prior == "source" and config.dit.weights is None,
        )
        if config.dit.weights is not None:
            folder = resolve_weights(config.dit.weights, subfolder="transformer")
            self.dit.adopt(WanTransformer3DModel.from_pretrained(folder, local_files_only=True))
        self.mllm = MLLMEncoder(config.mllm, config.dit.width)
        self.mask_head = MaskHead(config.mask, config.dit.width)
        if config.lora is not None:
            self.add_lora()

    def add_lora(self) -> None:
        """Freeze the DiT body and the condition encoder, add the adapter; source and reference embedders stay
        trainable."""
        lora = self.config.lora
        if lora is None:
            raise ValueError("this configuration has no LoRA: set CleanerConfig.lora")
        self.dit.transformer.requires_grad_(False)
        self.mllm.requires_grad_(False)
        self.dit.transformer.add_adapter(
            LoraConfig(
                r=lora.rank, lora_alpha=lora.rank, target_modules=list(lora.targets), init_lora_weights="gaussian"
            )
        )

    def context(self, videos: Sequence[np.ndarray], references: Sequence[np.ndarray] | None = None) -> Tensor:
        """Cross-attention context of uint8 videos (T, h, w, 3) under the configured instruction."""
        return self.mllm(videos, self.config.instruction, references)

    def gate(self, sigma: Tensor) -> Tensor:
        """The factor on the source embedding: sigma itself (published) or one."""
        return sigma if self.config.flow.gate == "sigma" else torch.ones_like(sigma)

    def predict(
        self,
        z_t: Tensor,
        sigma: Tensor,
        context: Tensor,
        source: Tensor,
        reference: Tensor | None = None,
    ) -> Prediction:
        """Velocity and the clean latents it implies (z_t - sigma v)."""
        out = self.dit(z_t, sigma, context, source=source, gate=self.gate(sigma), reference=reference)
        return Prediction(out.velocity, z_t - sigma.view(-1, 1, 1, 1, 1) * out.velocity, out.hidden)

    def read_mask(self, prediction: Prediction, seen: Seen, groups: Tensor | None = None) -> Tensor:
        """Mask logits (B, n, h, w) of the latent frames `groups` (B, n) int64, None = all, by what a prediction proposes
        and what is `seen`."""
        with torch.no_grad():
            proposal = self.codec.decode(prediction.clean.detach())
            evidence = pixel_evidence(seen, proposal, prediction.clean.shape[2])
        hidden = prediction.hidden
        if groups is not None:
            hidden, evidence = take_groups(hidden, groups), take_groups(evidence, groups)
        logits: Tensor = self.mask_head(hidden, evidence)
        return logits


def to_pixels(frames: np.ndarray | Tensor, device: torch.device | str = "cpu") -> Tensor:
    """uint8 RGB (B, T, h, w, 3) -> float32 (B, 3, T, h, w) in [-1, 1]."""
    tensor = torch.as_tensor(np.ascontiguousarray(frames) if isinstance(frames, np.ndarray) else frames).to(device)
    return tensor.permute(0, 4, 1, 2, 3).float() / 127.5 - 1.0


def to_frames(pixels: Tensor) -> np.ndarray:
    """float (B, 3, T, h, w) in [-1, 1] -> uint8 RGB (B, T, h, w, 3), clamped and rounded."""
    scaled = ((pixels.clamp(-1, 1) + 1.0) * 127.5).round().to(torch.uint8)
    return scaled.permute(0, 2, 3, 4, 1).cpu().numpy()
