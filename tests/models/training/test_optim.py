"""Learning-rate curve, parameter groups and per-step seeds."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import nn

from models.training.optim import build_adamw, cosine_lr, set_lr, step_generator, step_rng, step_seed


def test_cosine_warms_up_peaks_and_ends_low() -> None:
    curve = [cosine_lr(step, num_steps=100, warmup_steps=10, final_ratio=0.1) for step in range(100)]
    assert curve[0] == pytest.approx(1 / 11) and curve[10] == pytest.approx(1.0)
    assert all(a <= b for a, b in pairwise(curve[:11]))
    assert all(a >= b for a, b in pairwise(curve[10:]))
    assert curve[-1] == pytest.approx(0.1, abs=0.01)


def test_groups_scale_and_vectors_do_not_decay() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))
    optimizer = build_adamw(
        module, lr=1.0, weight_decay=0.5, lr_scale=lambda name: 0.1 if name.startswith("1.") else 1.0
    )
    set_lr(optimizer, 0.4)
    found = {(round(g["lr"], 3), g["weight_decay"]): len(g["params"]) for g in optimizer.param_groups}
    assert found == {(0.4, 0.5): 1, (0.4, 0.0): 1, (0.04, 0.0): 2}


def test_nothing_trainable_is_an_error() -> None:
    with pytest.raises(ValueError, match="no trainable"):
        build_adamw(nn.Linear(1, 1).requires_grad_(False), lr=1.0)


def test_seeds_depend_on_all_parts() -> None:
    seeds = {step_seed(seed, step, stream) for seed in (0, 1) for step in (0, 1) for stream in ("", "a")}
    assert len(seeds) == 8
    first, again = (torch.rand(3, generator=step_generator(1, 2)) for _ in range(2))
    assert torch.equal(first, again)
    assert step_rng(1, 2).random() == step_rng(1, 2).random() != step_rng(1, 3).random()
