"""Checkpoint folders: canonical bytes, full errors, strict loading."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from models.training.checkpoint import CheckpointError, load_checkpoint, load_strict, remove_checkpoint, save_checkpoint


def write(folder: Path) -> Path:
    return save_checkpoint(
        folder, {"weight": torch.ones(2, 2), "bias": torch.zeros(2)}, {"kind": "k", "a": [1]}, {"m": 0.5}
    )


def test_round_trip_and_equal_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a"), write(tmp_path / "b")
    read = load_checkpoint(tmp_path / "a", kind="k")
    assert (
        torch.equal(read.tensors["weight"], torch.ones(2, 2)) and read.config["a"] == [1] and read.metrics == {"m": 0.5}
    )
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == ["config.json", "metrics.json", "model.safetensors"]
    assert all((tmp_path / "a" / n).read_bytes() == (tmp_path / "b" / n).read_bytes() for n in names)
    remove_checkpoint(tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_missing_and_foreign_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=str(tmp_path)):
        load_checkpoint(tmp_path, kind="k")
    write(tmp_path)
    with pytest.raises(CheckpointError, match="'k' checkpoint, expected 'other'"):
        load_checkpoint(tmp_path, kind="other")
    with pytest.raises(CheckpointError, match="kind"):
        save_checkpoint(tmp_path, {}, {}, {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bias": None}, "1 missing"),
        ({"extra": torch.zeros(1)}, "1 unexpected"),
        ({"bias": torch.zeros(3)}, "shape"),
        ({"bias": torch.tensor([0.0, float("nan")])}, "non-finite"),
    ],
)
def test_strict_loading_names_the_tensor(change: dict[str, torch.Tensor | None], message: str) -> None:
    tensors = {"weight": torch.ones(2, 2), "bias": torch.zeros(2), **change}
    with pytest.raises(CheckpointError, match=message):
        load_strict(nn.Linear(2, 2), {k: v for k, v in tensors.items() if v is not None}, where="here")
