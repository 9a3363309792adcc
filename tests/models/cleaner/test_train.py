"""Training of the cleaner: it learns, it resumes bit for bit, it stops in order."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from models.cleaner.config import LoRAConfig
from models.cleaner.flow import build_table, flow_loss, sample
from models.cleaner.restore import see
from models.cleaner.train import build_model, mask_target, prepare_batch, train_cleaner
from models.training.checkpoint import own_tensors
from models.training.loop import LoopConfig
from models.training.optim import step_generator
from models.training.reporter import NullReporter


class Recorder(NullReporter):
    """Keeps scalars and pictures; can send SIGTERM when a given step is reported."""

    def __init__(self, kill_at: int | None = None) -> None:
        self.rows: list[tuple[int, dict[str, float]]] = []
        self.images: list[np.ndarray] = []
        self.kill_at = kill_at

    def scalars(self, step, values):
        self.rows.append((step, dict(values)))
        if step == self.kill_at:
            os.kill(os.getpid(), signal.SIGTERM)

    def image(self, step, name, rgb):
        self.images.append(rgb)


def test_killed_and_resumed_training_gives_the_same_bytes(tmp_path: Path, stripes, make_config) -> None:
    straight = train_cleaner(make_config(), stripes, tmp_path / "a", NullReporter())
    with pytest.raises(SystemExit) as stop:
        train_cleaner(make_config(), stripes, tmp_path / "b", Recorder(kill_at=4))
    assert stop.value.code == 143
    assert (tmp_path / "b" / "state").is_dir() and not (tmp_path / "b" / "model.safetensors").exists()
    resumed = train_cleaner(make_config(), stripes, tmp_path / "b", NullReporter())
    assert not (tmp_path / "b" / "state").exists()
    assert (tmp_path / "a" / "model.safetensors").read_bytes() == (tmp_path / "b" / "model.safetensors").read_bytes()
    assert straight == resumed
    assert json.loads((tmp_path / "b" / "metrics.json").read_text()) == resumed


def test_training_learns_to_remove_the_box(trained: Path) -> None:
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["val_inside_psnr"] > metrics["val_inside_psnr_input"] + 4
    assert metrics["val_mask_iou"] > 0.5


def test_reported_numbers(tmp_path: Path, stripes, make_config) -> None:
    recorder = Recorder()
    train_cleaner(make_config(), stripes, tmp_path, recorder)
    assert {"loss", "velocity_loss", "mask_loss", "grad_norm", "samples_per_s"} <= set(recorder.rows[0][1])
    assert recorder.images[0].dtype == np.uint8 and recorder.images[0].shape[1] == 4 * 64


def test_untrained_bridge_returns_the_codec_reconstruction(stripes, make_config) -> None:
    model = build_model(make_config(), stripes)
    pairs = stripes.sample(0, 5, 1)
    seen = see(pairs.ui, pairs.far)
    source = model.codec.encode(seen.pixels)
    context = model.context(list(pairs.ui))
    assert not context.any()
    for steps in (1, 3):
        latents, _ = sample(model, source, seen, context, num_steps=steps)
        assert torch.equal(latents, source)


@pytest.mark.parametrize("prior", ["source", "noise"])
def test_both_priors_train(stripes, make_config, prior: str) -> None:
    config = make_config()
    flow = replace(config.flow, prior=prior, gate="sigma", weighting="kiwi", zero_source_embedder=True, start_share=0.0)
    model = build_model(replace(config, flow=flow), stripes)
    batch = prepare_batch(model, stripes.sample(0, 0, 2), 0)
    loss, numbers = flow_loss(model, batch, build_table(flow), step_generator(0, 0))
    loss.backward()
    assert torch.isfinite(loss) and numbers["velocity_loss"] > 0
    for weight in (model.dit.source_embedder.patch_embedding.weight, model.dit.transformer.proj_out.weight):
        assert weight.grad is not None and weight.grad.abs().sum() > 0


def test_lora_trains_the_adapter_and_the_embedders_only(tmp_path: Path, stripes, make_config) -> None:
    config = make_config(lora=LoRAConfig(rank=2), train=LoopConfig(num_steps=3, batch_size=1, warmup_steps=0))
    before = own_tensors(build_model(config, stripes))
    before = {name: value.clone() for name, value in before.items()}
    train_cleaner(config, stripes, tmp_path, NullReporter())
    after = load_file(str(tmp_path / "model.safetensors"))
    changed = {name for name in after if not torch.equal(after[name], before[name])}
    assert any("lora_B" in name for name in changed)
    assert any(name.startswith("dit.source_embedder") for name in changed)
    body = [name for name in changed if name.startswith("dit.transformer") and "lora_" not in name]
    assert not body and not any(name.startswith("mllm.") for name in changed)


def test_reference_is_dropped_at_the_configured_rate(stripes, make_config) -> None:
    model = build_model(make_config(reference_dropout=0.2), stripes)
    pairs = stripes.sample(0, 0, 1)
    kept = [prepare_batch(model, pairs, index).reference is not None for index in range(60)]
    assert 0.65 < np.mean(kept) < 0.95


def test_mask_target_is_the_union_over_the_time_group() -> None:
    mask = np.zeros((1, 9, 2, 2), np.uint8)
    mask[0, 3, 0, 0] = 200
    mask[0, 8, 1, 1] = 10
    target = mask_target(mask, 3)
    assert target.shape == (1, 3, 2, 2)
    assert target[0, :, 0, 0].tolist() == [0, 1, 0] and not target[0, :, 1, 1].any()
