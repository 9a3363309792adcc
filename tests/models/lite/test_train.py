"""Training: it learns, and a killed run resumes bit for bit."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from models.lite.pairs import RecipePairs
from models.lite.train import train_lite
from models.training.reporter import NullReporter


class Recorder(NullReporter):
    """Keeps pictures; can send SIGTERM when a given step is reported."""

    def __init__(self, kill_at: int | None = None) -> None:
        self.images: list[np.ndarray] = []
        self.kill_at = kill_at

    def scalars(self, step, values):
        if step == self.kill_at:
            os.kill(os.getpid(), signal.SIGTERM)

    def image(self, step, name, rgb):
        self.images.append(rgb)


def test_killed_and_resumed_training_gives_the_same_bytes(tmp_path: Path, pairs: RecipePairs, make_config) -> None:
    recorder = Recorder()
    straight = train_lite(make_config(), pairs, tmp_path / "a", recorder)
    assert recorder.images[0].dtype == np.uint8 and recorder.images[0].shape[1] == 3 * 96
    with pytest.raises(SystemExit) as stop:
        train_lite(make_config(), pairs, tmp_path / "b", Recorder(kill_at=4))
    assert stop.value.code == 143 and not (tmp_path / "b" / "model.safetensors").exists()
    resumed = train_lite(make_config(), pairs, tmp_path / "b", NullReporter())
    assert not (tmp_path / "b" / "state").exists()
    for name in ("model.safetensors", "config.json", "metrics.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert straight == resumed


def test_the_segmenter_learns(trained: Path) -> None:
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["mask_f1"] > 0.7
    assert metrics["mask_recall"] > 0.6 and metrics["mask_precision"] > 0.6
