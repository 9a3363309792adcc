"""Strict loading of cleaner checkpoints."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.cleaner.checkpoint import load_model
from models.training.checkpoint import CheckpointError, own_tensors


@pytest.fixture()
def copy(trained: Path, tmp_path: Path) -> Path:
    shutil.copytree(trained, tmp_path / "copy")
    return tmp_path / "copy"


def rewrite(folder: Path, change) -> None:
    tensors = load_file(str(folder / "model.safetensors"))
    change(tensors)
    save_file(tensors, str(folder / "model.safetensors"))


def test_weights_come_back_bit_for_bit(trained: Path) -> None:
    model, read = load_model(trained)
    assert set(own_tensors(model)) == set(read.tensors)
    assert all(torch.equal(value, read.tensors[name]) for name, value in own_tensors(model).items())
    assert read.metrics["preset"] == "micro" and not model.training


def test_missing_extra_misshapen_and_broken_tensors_are_named(copy: Path) -> None:
    name = "mask_head.conv_pixels.weight"
    original = load_file(str(copy / "model.safetensors"))[name]
    rewrite(copy, lambda tensors: tensors.pop(name))
    with pytest.raises(CheckpointError, match=f"missing tensors .*{name}"):
        load_model(copy)
    rewrite(copy, lambda tensors: tensors.update({name: original, "stranger": torch.zeros(1)}))
    with pytest.raises(CheckpointError, match=r"unexpected .*stranger"):
        load_model(copy)
    rewrite(copy, lambda tensors: (tensors.pop("stranger"), tensors.update({name: original[:1].clone()})))
    with pytest.raises(CheckpointError, match=f"{name} has shape"):
        load_model(copy)
    rewrite(copy, lambda tensors: tensors.update({name: original * float("nan")}))
    with pytest.raises(CheckpointError, match="non-finite"):
        load_model(copy)


def test_unfinished_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"no model\.safetensors"):
        load_model(tmp_path)
