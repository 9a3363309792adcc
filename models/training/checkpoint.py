"""Checkpoint folders: `model.safetensors` + `config.json` + `metrics.json`, written whole or not at all, read
strictly."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

MODEL_FILE, CONFIG_FILE, METRICS_FILE = "model.safetensors", "config.json", "metrics.json"


class CheckpointError(ValueError):
    """A checkpoint folder is incomplete, of another kind, or does not fit the model that wants to load it."""


@dataclass(frozen=True)
class Checkpoint:
    """A folder's content in memory: tensors on CPU, configuration and metrics as plain JSON values."""

    tensors: dict[str, Tensor]
    config: dict[str, Any]
    metrics: dict[str, Any]


def save_checkpoint(
    directory: Path, tensors: Mapping[str, Tensor], config: Mapping[str, Any], metrics: Mapping[str, Any]
) -> Path:
    """Write the three files of a checkpoint into `directory` (made if absent, files replaced one by one, model last).

    `config` must carry "kind" (which loader reads it). JSON is canonical (sorted keys), so that equal content has equal
    bytes.
    """
    if "kind" not in config:
        raise CheckpointError(
            f"checkpoint config for {directory} lacks 'kind': loaders use it to refuse foreign folders"
        )
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    _replace_text(directory / CONFIG_FILE, _canonical(config))
    _replace_text(directory / METRICS_FILE, _canonical(metrics))
    plain = {name: value.detach().to("cpu").contiguous().clone() for name, value in sorted(tensors.items())}
    temporary = directory / f".tmp-{os.getpid()}-{MODEL_FILE}"
    save_file(plain, str(temporary), metadata={"format": "pt"})
    os.replace(temporary, directory / MODEL_FILE)
    return directory


def load_checkpoint(directory: Path, *, kind: str) -> Checkpoint:
    """Read a checkpoint folder; raises CheckpointError naming the missing file or the foreign kind."""
    directory = Path(directory)
    for name in (MODEL_FILE, CONFIG_FILE):
        if not (directory / name).is_file():
            raise CheckpointError(
                f"no {name} in {directory}: not a finished checkpoint; train one or give another folder"
            )
    config = json.loads((directory / CONFIG_FILE).read_text(encoding="utf-8"))
    if config.get("kind") != kind:
        raise CheckpointError(f"{directory} holds a '{config.get('kind')}' checkpoint, expected '{kind}'")
    metrics_path = directory / METRICS_FILE
    metrics = json.loads(metrics_path.read_text(encoding="utf-8")) if metrics_path.is_file() else {}
    return Checkpoint(load_file(str(directory / MODEL_FILE), device="cpu"), config, metrics)


def own_tensors(module: nn.Module, foreign: Sequence[str] = ()) -> dict[str, Tensor]:
    """Parameters and buffers a checkpoint holds: all of them, less the frozen ones of pretrained parts.

    `foreign` are name prefixes of parts that were loaded from a weights directory. What is trained inside them (an adapter,
    a widened embedding) stays; the rest can be loaded again from where it came.
    """
    trained = {name for name, value in module.named_parameters() if value.requires_grad}
    tensors = module.state_dict()
    return {name: value for name, value in tensors.items() if name in trained or not name.startswith(tuple(foreign))}


def load_strict(module: nn.Module, tensors: Mapping[str, Tensor], *, where: str, foreign: Sequence[str] = ()) -> None:
    """Load what `own_tensors` names into the module; any missing, unexpected, misshapen or non-finite tensor raises
    CheckpointError naming it. Pretrained parts (`foreign`) must already be in the module."""
    expected = own_tensors(module, foreign)
    missing, extra = sorted(set(expected) - set(tensors)), sorted(set(tensors) - set(expected))
    if missing or extra:
        raise CheckpointError(
            f"{where}: {len(missing)} missing tensors (first {missing[:3]}), "
            f"{len(extra)} unexpected (first {extra[:3]})"
        )
    for name, value in tensors.items():
        if value.shape != expected[name].shape:
            raise CheckpointError(
                f"{where}: {name} has shape {tuple(value.shape)}, expected {tuple(expected[name].shape)}"
            )
        if torch.is_floating_point(value) and not torch.isfinite(value).all():
            raise CheckpointError(f"{where}: {name} holds non-finite values")
    module.load_state_dict(dict(tensors), strict=not foreign)


def remove_checkpoint(directory: Path) -> None:
    """Delete a checkpoint folder with everything in it. Absent is fine."""
    shutil.rmtree(directory, ignore_errors=True)


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def _replace_text(path: Path, text: str) -> None:
    temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
