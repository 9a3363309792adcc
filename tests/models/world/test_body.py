"""The path of the presets dev and paper: a pretrained body from a directory, here a tiny one that the test makes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from models.cleaner.wan import fresh_transformer
from models.cleaner.weights import MissingWeightsError
from models.training.checkpoint import CheckpointError, load_strict, own_tensors
from models.training.reporter import NullReporter
from models.world.action import ActionClips, build_model, load_action, train_action
from models.world.body import build_transformer
from models.world.config import foreign_parts


@pytest.fixture
def pretrained(action_config, tmp_path: Path):
    """The action configuration with a body that lies in a directory, as a hub snapshot does."""
    torch.manual_seed(3)
    fresh_transformer(action_config.dit).save_pretrained(tmp_path / "hub" / "transformer")
    return replace(action_config, dit=replace(action_config.dit, weights=str(tmp_path / "hub")))


def test_extra_input_channels_change_nothing_at_first(pretrained) -> None:
    plain, wide = build_transformer(pretrained.dit), build_transformer(pretrained.dit, extra_channels=5)
    z, extra, time, context = (
        torch.randn(1, 12, 3, 4, 8),
        torch.randn(1, 5, 3, 4, 8),
        torch.tensor([500.0]),
        torch.randn(1, 4, 32),
    )
    with torch.no_grad():
        expected = plain(z, time, context, return_dict=False)[0]
        found = wide(torch.cat([z, extra], dim=1), time, context, return_dict=False)[0]
    assert torch.allclose(found, expected, atol=1e-6)
    assert [name for name, p in wide.named_parameters() if p.requires_grad] == [
        "patch_embedding.weight",
        "patch_embedding.bias",
    ]


def test_a_checkpoint_holds_what_was_trained_and_not_the_body(pretrained, clips, tmp_path: Path) -> None:
    data = ActionClips(clips, pretrained)
    before = build_model(pretrained, data).state_dict()
    train_action(pretrained, data, tmp_path / "out", NullReporter())
    stored = load_file(str(tmp_path / "out" / "model.safetensors"))
    assert "body.transformer.patch_embedding.weight" in stored and "body.actions.0.proj_mouse.weight" in stored
    assert not [name for name in stored if name.startswith("body.transformer.blocks")]
    after = load_action(tmp_path / "out").model.state_dict()
    body = [name for name in after if name.startswith("body.transformer.blocks")]
    assert body and all(torch.equal(after[name], before[name]) for name in body)
    assert not torch.equal(after["body.actions.0.proj_mouse.weight"], before["body.actions.0.proj_mouse.weight"])


def test_a_stored_tensor_of_the_frozen_body_is_refused(pretrained, clips) -> None:
    model = build_model(pretrained, ActionClips(clips, pretrained))
    foreign = foreign_parts(pretrained)
    tensors = own_tensors(model, foreign)
    load_strict(model, tensors, where="here", foreign=foreign)
    name = next(name for name in model.state_dict() if name.startswith("body.transformer.blocks"))
    with pytest.raises(CheckpointError, match="unexpected"):
        load_strict(model, {**tensors, name: model.state_dict()[name]}, where="here", foreign=foreign)


def test_absent_weights_name_the_command(action_config) -> None:
    with pytest.raises(MissingWeightsError, match="hf download owner/model"):
        build_transformer(replace(action_config.dit, weights="owner/model"))
