"""The lite cleaner: a learned UI segmenter with temporal matting and smooth fill; mask-free and fast on CPU."""

from __future__ import annotations

from models.lite.clean import LiteCleaner, load_lite
from models.lite.config import LiteConfig
from models.lite.pairs import LiteBatch, LiteSource, RecipePairs
from models.lite.presets import dev, paper, preset, tiny
from models.lite.train import train_lite

__all__ = [
    "LiteBatch", "LiteCleaner", "LiteConfig", "LiteSource", "RecipePairs", "dev", "load_lite", "paper", "preset",
    "tiny", "train_lite",
]  # fmt: skip
