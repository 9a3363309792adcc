"""Checkpoint of a GameCleaner: everything that does not come from a named pretrained directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from models.cleaner.config import CleanerConfig, config_from_dict
from models.cleaner.model import GameCleaner
from models.training.checkpoint import Checkpoint, load_checkpoint, load_strict, own_tensors, save_checkpoint

KIND = "gamecleaner"


def _foreign_parts(config: CleanerConfig) -> list[str]:
    """Name prefixes of the parts that come from a weights directory: a checkpoint does not hold them again."""
    named = {
        "dit.transformer.": config.dit.weights,
        "mllm.backbone.": config.mllm.weights,
        "codec.vae.": config.codec.weights,
    }
    return [prefix for prefix, weights in named.items() if weights is not None]


def save_cleaner(directory: Path, model: GameCleaner, metrics: Mapping[str, Any]) -> Path:
    """Write `model.safetensors`, `config.json` and `metrics.json` into `directory`."""
    config = {"kind": KIND, "cleaner": asdict(model.config)}
    return save_checkpoint(directory, own_tensors(model, _foreign_parts(model.config)), config, metrics)


def load_model(directory: Path) -> tuple[GameCleaner, Checkpoint]:
    """Rebuild the model of a checkpoint folder, strictly: each expected tensor present, none left over, shapes equal,
    finite.

    Raises CheckpointError naming the tensor, or MissingWeightsError naming a pretrained directory that is absent.
    """
    checkpoint = load_checkpoint(directory, kind=KIND)
    config: CleanerConfig = config_from_dict(checkpoint.config["cleaner"])
    model = GameCleaner(config)
    load_strict(model, checkpoint.tensors, where=str(directory), foreign=_foreign_parts(config))
    return model.eval(), checkpoint
