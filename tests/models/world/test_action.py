from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from models.training.checkpoint import CheckpointError
from models.training.reporter import NullReporter
from models.world.action import ActionClips, ActionGenerator, build_model, load_action, train_action
from models.world.clips import spread_windows, stack
from models.world.motion import warp_video


def test_an_untrained_model_repeats_its_first_frame(action_config, clips) -> None:
    data = ActionClips(clips, action_config)
    model = build_model(action_config, data).eval()
    for layer in (model.motion.camera, model.motion.local):
        torch.nn.init.zeros_(layer.weight)
    frames, actions = stack(data.sample(0, 0, 2))
    out = ActionGenerator(model).generate_batch(frames[:, 0], actions)
    assert out.shape == frames.shape
    assert np.abs(out.astype(int) - frames[:, :1].astype(int)).max() <= 1


def test_warp_fetches_from_where_the_field_points() -> None:
    image = torch.arange(12.0).view(1, 1, 1, 12).expand(1, 3, 4, 12).contiguous()
    field = torch.zeros(1, 1, 2, 4, 12)
    field[:, :, 0] = 2.0
    moved = warp_video(image, field)[0, 0, 0, 0]
    assert torch.allclose(moved[:10], image[0, 0, 0, 2:])


def test_training_makes_the_model_obey(action_config, clips, tmp_path: Path) -> None:
    """After a hundred small steps a turn to the right moves the picture to the left, and one to the left to the right."""
    config = replace(action_config, train=replace(action_config.train, num_steps=120, save_every=200))
    data = ActionClips(clips, config)
    train_action(config, data, tmp_path, NullReporter())
    generator = load_action(tmp_path)
    window = spread_windows(data.clips[0], config.window, 1)[0]
    actions = np.zeros_like(window.actions)
    fields = []
    for yaw in (2.0, -2.0):
        actions[:, 7] = yaw
        given = generator.model.conditions(
            torch.from_numpy(window.frames[:1]).float().movedim(-1, 1) / 127.5 - 1, torch.from_numpy(actions[None]), 9
        )
        with torch.no_grad():
            fields.append(
                generator.model.predict(given.source, torch.ones(1), given).displacement[:, -1, 0].mean().item()
            )
    assert fields[0] > 2.0 and fields[1] < -2.0
    semantics = json.loads((tmp_path / "actions.json").read_text())
    assert semantics


def test_resume_gives_the_same_bytes(action_config, clips, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    class StopAt(NullReporter):
        def scalars(self, step: int, values) -> None:
            if step >= 5:
                raise Stop

    straight, resumed = tmp_path / "straight", tmp_path / "resumed"
    train_action(action_config, ActionClips(clips, action_config), straight, NullReporter())
    with pytest.raises(Stop):
        train_action(action_config, ActionClips(clips, action_config), resumed, StopAt())
    assert (resumed / "state").exists() and not (resumed / "model.safetensors").exists()
    train_action(action_config, ActionClips(clips, action_config), resumed, NullReporter())
    assert (straight / "model.safetensors").read_bytes() == (resumed / "model.safetensors").read_bytes()
    (straight / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="model"):
        load_action(straight)
