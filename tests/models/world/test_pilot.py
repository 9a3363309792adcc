from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.ui.draw import starter_library
from g2w.ui.library import write_library
from g2w.video.write import write_video
from models.perception import load_embedder
from models.training.reporter import NullReporter
from models.world.pilot import PilotClips, sample_pilot, train_both_arms
from models.world.pilot_bench import UNAVAILABLE, score_pilot, standing_edges


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    write_library(starter_library("a", 0, num_variants=1), folder)
    return folder


@pytest.fixture
def recipes(library: Path, clips) -> list[dict]:
    from g2w.ui.library import read_library

    rows = [{"clip_id": name, "game": f"game/{name}", "split": "train", "num_frames": 60} for name in clips]
    config = SynthConfig(num_frames=60, control_rate=0.0)
    return sample_recipes(rows, read_library(library), count=6, seed=0, split="train", config=config)


def test_the_arms_differ_only_in_the_interface(pilot_config, clips, recipes, library) -> None:
    data = PilotClips({n: c.frames for n, c in clips.items()}, recipes, library, pilot_config.window)
    clean, ui, captions = data.sample(0, 3, 4)
    again, _, _ = data.sample(0, 3, 4)
    assert np.array_equal(clean, again) and clean.shape == ui.shape == (4, 9, 32, 64, 3)
    changed = (clean != ui).any(axis=-1)
    assert 0 < changed.mean() < 0.9
    assert set(captions) <= set(data.captions)


def test_both_arms_train_sample_and_are_scored(pilot_config, clips, recipes, library, tmp_path: Path) -> None:
    frames = {n: c.frames for n, c in clips.items()}
    metrics = train_both_arms(pilot_config, frames, recipes, library, tmp_path, NullReporter())
    assert metrics["loss_clean"] > 0 and metrics["num_steps"] == 8
    one, two = (sample_pilot(tmp_path / arm, 2, seed=1, steps=2) for arm in ("clean", "ui"))
    assert one.shape == (2, 9, 32, 64, 3) and not np.array_equal(one, two)
    assert np.array_equal(one, sample_pilot(tmp_path / "clean", 2, seed=1, steps=2))
    videos = []
    for name, clip in clips.items():
        videos.append(tmp_path / f"{name}.mp4")
        write_video(videos[-1], clip.frames)
    rows = score_pilot(tmp_path, videos, load_embedder("pixel-layout"), out=tmp_path, num_samples=4)
    by_id = {row["score_id"]: row for row in rows}
    assert by_id["pilot/frechet_clean"]["value"] > 0 and by_id["pilot/frechet_clean"]["backend"].startswith(
        "pixel-layout"
    )
    for metric in UNAVAILABLE:
        row = by_id[f"pilot/{metric}_clean"]
        assert row["status"] == "unavailable" and row["value"] is None, "what was not measured is never a number"


def test_a_finished_arm_is_not_trained_again(pilot_config, clips, recipes, library, tmp_path: Path) -> None:
    frames = {n: c.frames for n, c in clips.items()}
    first = train_both_arms(pilot_config, frames, recipes, library, tmp_path, NullReporter())
    written = (tmp_path / "clean" / "model.safetensors").stat().st_mtime_ns
    assert train_both_arms(pilot_config, frames, recipes, library, tmp_path, NullReporter()) == first
    assert (tmp_path / "clean" / "model.safetensors").stat().st_mtime_ns == written


def test_standing_edges_see_what_does_not_move(clips) -> None:
    frames = clips["clip0"].frames[:30]
    covered = frames.copy()
    covered[:, 8:16, 8:24] = 255
    assert standing_edges(covered) > 2 * standing_edges(frames)
