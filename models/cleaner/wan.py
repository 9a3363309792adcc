"""A fresh Wan transformer of a configuration: the one place that spells out diffusers' constructor."""

from __future__ import annotations

from typing import Any

from diffusers import WanTransformer3DModel

from models.cleaner.config import DiTConfig


def fresh_transformer(config: DiTConfig, extra_channels: int = 0) -> Any:
    """diffusers' stock `WanTransformer3DModel` with new weights; takes `channels + extra_channels`, returns `channels`."""
    transformer_class: Any = WanTransformer3DModel  # diffusers' classes carry no types
    return transformer_class(
        patch_size=config.patch,
        num_attention_heads=config.num_heads,
        attention_head_dim=config.head_dim,
        in_channels=config.channels + extra_channels,
        out_channels=config.channels,
        text_dim=config.text_dim,
        freq_dim=config.freq_dim,
        ffn_dim=config.ffn_dim,
        num_layers=config.num_layers,
        rope_max_seq_len=config.rope_max_seq_len,
    )
