"""Resumable training state: model, optimizer, EMA and step in one safetensors file, replaced atomically.

The fingerprint (a hash of everything that shapes the run) travels in the file: a state of another recipe is refused,
not mixed in.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from models.training.ema import EMA

STATE_FOLDER = "state"
_STATE_FILE = "state.safetensors"


class StateMismatchError(ValueError):
    """A saved state belongs to another recipe, module or format than the run that wants to resume from it."""


def fingerprint(*parts: Any) -> str:
    """Hex digest (16 characters) of configurations (dataclasses or JSON values), for telling recipes apart."""
    plain = [asdict(part) if is_dataclass(part) and not isinstance(part, type) else part for part in parts]
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def state_file(out_dir: Path) -> Path:
    """Path of the state file of a run that writes to `out_dir` (it need not exist)."""
    return Path(out_dir) / STATE_FOLDER / _STATE_FILE


def save_state(
    out_dir: Path, *, step: int, module: nn.Module, optimizer: torch.optim.Optimizer, ema: EMA | None, recipe: str
) -> Path:
    """Write `out_dir/state/state.safetensors`: a reader sees the old file or the new one, never half of one.

    `step` = number of finished updates; `recipe` = `fingerprint(...)` of the run. Frozen parameters are left out: they
    are rebuilt from the recipe.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            tensors[f"model.{name}"] = parameter.detach()
    for name, buffer in module.named_buffers():
        tensors[f"buffer.{name}"] = buffer.detach()
    for index, values in optimizer.state_dict()["state"].items():
        for key, value in values.items():
            tensors[f"optimizer.{index}.{key}"] = value if isinstance(value, Tensor) else torch.tensor(value)
    if ema is not None:
        tensors.update({f"ema.{name}": value for name, value in ema.shadow.items()})
    # clone: safetensors refuses tensors that share memory, and buffers may be views.
    plain = {name: value.detach().to("cpu").contiguous().clone() for name, value in tensors.items()}
    path = state_file(out_dir)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    updates = ema.num_updates if ema is not None else 0
    save_file(plain, str(temporary), metadata={"step": str(step), "recipe": recipe, "ema_updates": str(updates)})
    os.replace(temporary, path)
    return path


def load_state(
    out_dir: Path, *, module: nn.Module, optimizer: torch.optim.Optimizer, ema: EMA | None, recipe: str
) -> int:
    """Restore a saved state in place and return the number of finished updates; 0 if there is none.

    Raises StateMismatchError, naming the file, if it was written by another recipe or does not fit the module.
    """
    path = state_file(out_dir)
    if not path.exists():
        return 0
    with safe_open(str(path), framework="pt", device="cpu") as handle:
        metadata = handle.metadata() or {}
        tensors = {name: handle.get_tensor(name) for name in sorted(handle.keys())}
    if metadata.get("recipe") != recipe:
        raise StateMismatchError(
            f"{path} was saved by recipe {metadata.get('recipe')}, this run is {recipe}: "
            "delete the state folder to start afresh, or train with the configuration that wrote it"
        )
    _restore_module(path, module, tensors)
    _restore_optimizer(optimizer, _under(tensors, "optimizer."))
    if ema is not None:
        ema.load(_under(tensors, "ema."), int(metadata["ema_updates"]))
    return int(metadata["step"])


def clear_state(out_dir: Path) -> None:
    """Remove the state folder: call it after the checkpoint is safely on disk. Absent is fine."""
    shutil.rmtree(Path(out_dir) / STATE_FOLDER, ignore_errors=True)


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


@torch.no_grad()
def _restore_module(path: Path, module: nn.Module, tensors: dict[str, Tensor]) -> None:
    parameters = {name: value for name, value in module.named_parameters() if value.requires_grad}
    saved = _under(tensors, "model.")
    if set(parameters) != set(saved):
        missing, extra = sorted(set(parameters) - set(saved)), sorted(set(saved) - set(parameters))
        raise StateMismatchError(f"{path} does not fit the module: missing {missing[:3]}, unexpected {extra[:3]}")
    for name, value in saved.items():
        parameters[name].copy_(value)
    buffers = dict(module.named_buffers())
    for name, value in _under(tensors, "buffer.").items():
        buffers[name].copy_(value)


def _restore_optimizer(optimizer: torch.optim.Optimizer, saved: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in saved.items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
