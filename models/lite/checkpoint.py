"""Checkpoint of a lite cleaner: the segmenter's weights and the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from models.lite.config import LiteConfig, config_from_dict
from models.lite.evidence import NUM_CHANNELS
from models.lite.segmenter import Segmenter
from models.training.checkpoint import load_checkpoint, load_strict, save_checkpoint

KIND = "lite"


def save_lite(directory: Path, model: Segmenter, config: LiteConfig, metrics: Mapping[str, Any]) -> Path:
    """Write `model.safetensors`, `config.json` and `metrics.json` into `directory`."""
    return save_checkpoint(directory, model.state_dict(), {"kind": KIND, "lite": asdict(config)}, metrics)


def load_segmenter(directory: Path) -> tuple[Segmenter, LiteConfig]:
    """Rebuild the segmenter of a checkpoint folder, strictly; raises CheckpointError naming what does not fit."""
    checkpoint = load_checkpoint(directory, kind=KIND)
    config = config_from_dict(checkpoint.config["lite"])
    model = Segmenter(NUM_CHANNELS, config.widths)
    load_strict(model, checkpoint.tensors, where=str(directory))
    return model.eval(), config
