"""Checkpoint folders are read strictly."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from models.lite.checkpoint import load_segmenter
from models.training.checkpoint import CheckpointError


def test_what_was_saved_is_loaded(trained: Path) -> None:
    model, config = load_segmenter(trained)
    assert config.preset == "micro" and not model.training
    assert set(model.state_dict()) == set(load_file(str(trained / "model.safetensors")))


def test_foreign_or_damaged_folders_are_refused(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        load_segmenter(tmp_path)
    broken = tmp_path / "broken"
    shutil.copytree(trained, broken)
    tensors = load_file(str(broken / "model.safetensors"))
    del tensors["head.bias"]
    save_file(tensors, str(broken / "model.safetensors"))
    with pytest.raises(CheckpointError, match=r"head\.bias"):
        load_segmenter(broken)
    config = json.loads((trained / "config.json").read_text())
    (broken / "config.json").write_text(json.dumps({**config, "kind": "gamecleaner"}))
    with pytest.raises(CheckpointError, match="gamecleaner"):
        load_segmenter(broken)
