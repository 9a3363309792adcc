"""Cross-attention context of the world models: learned caption vectors at the tiny size, the hub's text encoder above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from models.cleaner.weights import resolve_weights
from models.world.config import ContextConfig

_MAX_TEXT_TOKENS = 512


class CaptionTable(nn.Module):
    """Learned vectors (num_tokens, text_dim) per caption: no text encoder works offline at this size. An unknown caption
    raises KeyError with the known ones."""

    def __init__(self, config: ContextConfig, captions: Sequence[str], text_dim: int) -> None:
        super().__init__()
        if not captions or len(set(captions)) != len(captions):
            raise ValueError(f"a caption table needs distinct captions, got {list(captions)[:5]}")
        self.captions = tuple(captions)
        self.table = nn.Parameter(torch.randn(len(captions), config.num_tokens, text_dim))

    def forward(self, captions: Sequence[str]) -> Tensor:
        """Context (B, num_tokens, text_dim)."""
        unknown = sorted(set(captions) - set(self.captions))
        if unknown:
            raise KeyError(f"captions {unknown[:3]} are not in this model's table: it knows {list(self.captions)[:8]}")
        return self.table[[self.captions.index(caption) for caption in captions]]


class UMT5Text(nn.Module):
    """The frozen text encoder of a Wan directory (`tokenizer/`, `text_encoder/`): padded to 512 tokens, zero after the text."""

    def __init__(self, config: ContextConfig) -> None:
        super().__init__()
        from transformers import AutoTokenizer, UMT5EncoderModel

        name = str(config.weights)
        self.encoder = UMT5EncoderModel.from_pretrained(
            resolve_weights(name, subfolder="text_encoder"), local_files_only=True
        )
        self.encoder.requires_grad_(False).eval()
        root = resolve_weights(name, subfolder="text_encoder").parent
        self._tokenizer: Any = AutoTokenizer.from_pretrained(root / "tokenizer", local_files_only=True)

    @torch.no_grad()
    def forward(self, captions: Sequence[str]) -> Tensor:
        """Context (B, 512, text_dim)."""
        given = self._tokenizer(
            list(captions), padding="max_length", max_length=_MAX_TEXT_TOKENS, truncation=True, return_tensors="pt"
        )
        ids, mask = given["input_ids"].to(self.encoder.device), given["attention_mask"].to(self.encoder.device)
        states = self.encoder(ids, attention_mask=mask).last_hidden_state
        return states * mask[..., None]


def build_context(config: ContextConfig, captions: Sequence[str], text_dim: int) -> CaptionTable | UMT5Text:
    """The context encoder a configuration names; `captions` are the rows of a table."""
    return CaptionTable(config, captions, text_dim) if config.kind == "table" else UMT5Text(config)
