from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.ui.draw import starter_library
from g2w.ui.library import write_library
from g2w.video.write import write_video
from models.perception import load_embedder
from models.training.reporter import NullReporter
from models.world.pilot import PilotClips, PilotModel, latent_grid, sample_pilot, train_both_arms, train_pilot
from models.world.pilot_bench import UNAVAILABLE, score_pilot, standing_edges
from models.world.presets import pilot_preset


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
    clean, captions = data.sample(0, 3, 4, "clean")
    ui, same_captions = data.sample(0, 3, 4, "ui")
    again, _ = data.sample(0, 3, 4, "clean")
    assert captions == same_captions
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
    change = by_id["pilot/standing_edges_ui_minus_clean"]
    arms = {arm: by_id[f"pilot/standing_edges_{arm}"]["value"] for arm in ("clean", "ui")}
    assert change["value"] == pytest.approx(arms["ui"] - arms["clean"], abs=2e-6)
    assert change["lo"] <= change["value"] <= change["hi"] and change["n"] == 4
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
    assert standing_edges(covered) > standing_edges(frames) + 0.1
    still = np.repeat(frames[:1], 5, axis=0)
    assert standing_edges(still) == pytest.approx(1.0)
    assert standing_edges(still // 4) == pytest.approx(1.0), "a share: contrast does not matter"
    assert standing_edges(np.full_like(still, 7)) == 0.0


class _Killer(NullReporter):
    """Ends the process' training in the middle, as a SIGTERM does."""

    def scalars(self, step: int, values) -> None:
        if step == 2:
            signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("guess_rank", [0, 8])
def test_a_killed_arm_resumes_to_the_same_bits(
    pilot_config, clips, recipes, library, tmp_path: Path, guess_rank: int
) -> None:
    train = replace(pilot_config.train, log_every=1, save_every=100)
    config = replace(pilot_config, guess_rank=guess_rank, train=train)
    data = PilotClips({n: c.frames for n, c in clips.items()}, recipes, library, config.window)
    train_pilot(config, data, "ui", tmp_path / "whole", NullReporter())
    with pytest.raises(SystemExit):
        train_pilot(config, data, "ui", tmp_path / "cut", _Killer())
    assert not (tmp_path / "cut" / "model.safetensors").exists()
    train_pilot(config, data, "ui", tmp_path / "cut", NullReporter())
    one, two = ((tmp_path / run / "model.safetensors").read_bytes() for run in ("whole", "cut"))
    assert one == two


def test_a_fresh_model_is_its_linear_guess_and_the_published_objective_has_none(pilot_config) -> None:
    model = PilotModel(pilot_config, ["a"])
    grid = latent_grid(pilot_config)
    model.guess.fit(torch.randn(20, pilot_config.codec.channels, *grid))
    z, sigma = torch.randn(2, pilot_config.codec.channels, *grid), torch.tensor([0.3, 0.9])
    assert torch.equal(model.velocity(z, sigma, ["a", "a"]), model.guess(z, sigma))
    published = PilotModel(replace(pilot_config, guess_rank=0, coordinates=False), ["a"])
    assert published.guess is None and published.transformer.config.in_channels == pilot_config.codec.channels
    assert all(pilot_preset(name).guess_rank == 0 for name in ("dev", "paper"))
