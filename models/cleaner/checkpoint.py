"""Checkpoint of a GameCleaner: everything that does not come from a named pretrained directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from models.cleaner.config import CleanerConfig, config_from_dict
from models.cleaner.model import GameCleaner
from models.training.checkpoint import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint

KIND = "gamecleaner"


def checkpoint_tensors(model: GameCleaner) -> dict[str, Tensor]:
    """Parameters and buffers a checkpoint holds: all of them, less those of pretrained directories (their LoRA
    stays)."""
    config = model.config
    foreign: list[str] = []
    if config.dit.weights is not None:
        foreign.append("dit.transformer.")
    if config.mllm.weights is not None:
        foreign.append("mllm.backbone.")
    if config.codec.weights is not None:
        foreign.append("codec.vae.")
    return {
        name: value
        for name, value in model.state_dict().items()
        if "lora_" in name or not name.startswith(tuple(foreign))
    }


def save_cleaner(directory: Path, model: GameCleaner, metrics: Mapping[str, Any]) -> Path:
    """Write `model.safetensors`, `config.json` and `metrics.json` into `directory`."""
    config = {"kind": KIND, "cleaner": asdict(model.config)}
    return save_checkpoint(directory, checkpoint_tensors(model), config, metrics)


def load_model(directory: Path) -> tuple[GameCleaner, Checkpoint]:
    """Rebuild the model of a checkpoint folder, strictly: each expected tensor present, none left over, shapes equal,
    finite.

    Raises CheckpointError naming the tensor, or MissingWeightsError naming a pretrained directory that is absent.
    """
    checkpoint = load_checkpoint(directory, kind=KIND)
    config: CleanerConfig = config_from_dict(checkpoint.config["cleaner"])
    model = GameCleaner(config)
    expected = checkpoint_tensors(model)
    missing, extra = sorted(set(expected) - set(checkpoint.tensors)), sorted(set(checkpoint.tensors) - set(expected))
    if missing or extra:
        raise CheckpointError(f"{directory}: missing tensors {missing[:3]}, unexpected {extra[:3]}")
    with torch.no_grad():
        for name, target in expected.items():
            value = checkpoint.tensors[name]
            if value.shape != target.shape:
                raise CheckpointError(
                    f"{directory}: {name} has shape {tuple(value.shape)}, expected {tuple(target.shape)}"
                )
            if torch.is_floating_point(value) and not bool(torch.isfinite(value).all()):
                raise CheckpointError(f"{directory}: {name} holds non-finite values")
            target.copy_(value)
    return model.eval(), checkpoint
