"""The step loop: exact resume, orderly stop, and refusal of bad settings."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from models.training.loop import LoopConfig, run_loop
from models.training.optim import step_generator
from models.training.reporter import NullReporter
from models.training.state import clear_state, fingerprint, state_file

CONFIG = LoopConfig(num_steps=24, batch_size=8, lr=0.01, warmup_steps=3, log_every=6, save_every=5, seed=3)


class Recorder(NullReporter):
    """Keeps every scalar call."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, dict[str, float]]] = []

    def scalars(self, step, values):
        self.rows.append((step, dict(values)))


def small_net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Dropout(0.2), nn.Linear(16, 6))


def make_loss(module: nn.Module, kill_at: int | None = None):
    def loss(index: int):
        if index == kill_at:
            os.kill(os.getpid(), signal.SIGTERM)
        x = torch.randn(8, 6, generator=step_generator(3, index, "data"))
        value = (module(x) - x.flip(1)).square().mean()
        return value, {"half": value.item() / 2}

    return loss


def train(out: Path, kill_at: int | None = None, reporter=None, config: LoopConfig = CONFIG) -> dict[str, torch.Tensor]:
    module = small_net()
    result = run_loop(
        config, module, make_loss(module, kill_at), out, reporter or NullReporter(), recipe=fingerprint(config)
    )
    result.ema.copy_to(module)
    return {name: value.clone() for name, value in module.state_dict().items()}


def test_killed_and_resumed_equals_straight(tmp_path: Path) -> None:
    straight = train(tmp_path / "a")
    with pytest.raises(SystemExit) as stop:
        train(tmp_path / "b", kill_at=12)
    assert stop.value.code == 143
    assert state_file(tmp_path / "b").exists()
    resumed = train(tmp_path / "b")
    assert all(torch.equal(straight[name], resumed[name]) for name in straight)


def test_loss_falls_and_scalars_are_complete(tmp_path: Path) -> None:
    recorder = Recorder()
    train(tmp_path, reporter=recorder)
    assert [step for step, _ in recorder.rows] == [6, 12, 18, 24]
    assert {"loss", "grad_norm", "lr", "samples_per_s", "half"} <= set(recorder.rows[0][1])
    assert recorder.rows[-1][1]["loss"] < recorder.rows[0][1]["loss"]


def test_sigterm_handler_is_restored(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    train(tmp_path)
    assert signal.getsignal(signal.SIGTERM) is before


def test_finished_run_is_not_trained_again(tmp_path: Path) -> None:
    first = train(tmp_path)
    again = train(tmp_path)
    assert all(torch.equal(first[name], again[name]) for name in first)
    clear_state(tmp_path)
    assert not state_file(tmp_path).exists()


def test_accumulation_keeps_the_gradient_of_the_whole_batch(tmp_path: Path) -> None:
    def run(accumulate: int, size: int, out: Path) -> torch.Tensor:
        torch.manual_seed(0)
        module = nn.Linear(6, 6)

        def loss(index: int):
            whole = torch.randn(8, 6, generator=step_generator(1, index * size // 8))
            start = index * size % 8
            x = whole[start : start + size]
            return (module(x) - x).square().mean(), {}

        run_loop(
            LoopConfig(num_steps=4, warmup_steps=0, accumulate=accumulate),
            module,
            loss,
            out,
            NullReporter(),
            recipe="x",
        )
        return module.weight.detach().clone()

    assert torch.allclose(run(1, 8, tmp_path / "a"), run(2, 4, tmp_path / "b"), atol=1e-6)


def test_infinite_loss_stops_the_run(tmp_path: Path) -> None:
    module = nn.Linear(2, 2)
    with pytest.raises(FloatingPointError, match="step 1"):
        run_loop(
            CONFIG, module, lambda _: (module.weight.sum() * float("nan"), {}), tmp_path, NullReporter(), recipe="x"
        )


@pytest.mark.parametrize("change", [{"num_steps": 0}, {"warmup_steps": 99}, {"lr": -1.0}, {"num_threads": 0}])
def test_bad_settings_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="LoopConfig"):
        LoopConfig(**{"num_steps": 10, "warmup_steps": 1, **change})


def test_random_images_do_not_reach_the_null_reporter_state() -> None:
    picture = np.zeros((2, 2, 3), np.uint8)
    NullReporter().image(1, "x", picture)
    assert not picture.any()
