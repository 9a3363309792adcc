"""Resumable state: atomic, exact, and refused where it does not belong."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from models.training.ema import EMA
from models.training.optim import build_adamw
from models.training.state import StateMismatchError, clear_state, fingerprint, load_state, save_state, state_file


def make(width: int = 4) -> tuple[nn.Module, torch.optim.Optimizer, EMA]:
    torch.manual_seed(width)
    module = nn.Sequential(nn.Linear(3, width), nn.BatchNorm1d(width))
    optimizer = build_adamw(module, lr=0.1)
    module(torch.randn(6, 3)).square().sum().backward()
    optimizer.step()
    ema = EMA(module, 0.9)
    ema.update(module)
    return module, optimizer, ema


def test_everything_comes_back(tmp_path: Path) -> None:
    module, optimizer, ema = make()
    save_state(tmp_path, step=7, module=module, optimizer=optimizer, ema=ema, recipe="r")
    other, other_optimizer, other_ema = make()
    with torch.no_grad():
        other[0].weight.add_(1)
        other[1].running_mean.add_(1)
    assert load_state(tmp_path, module=other, optimizer=other_optimizer, ema=other_ema, recipe="r") == 7
    assert all(
        torch.equal(a, b) for a, b in zip(module.state_dict().values(), other.state_dict().values(), strict=True)
    )
    moments = [state["exp_avg_sq"] for state in optimizer.state_dict()["state"].values()]
    restored = [state["exp_avg_sq"] for state in other_optimizer.state_dict()["state"].values()]
    assert all(torch.equal(a, b) for a, b in zip(moments, restored, strict=True))
    assert other_ema.num_updates == 1 and torch.equal(ema.shadow["0.weight"], other_ema.shadow["0.weight"])


def test_no_state_means_step_zero(tmp_path: Path) -> None:
    module, optimizer, ema = make()
    assert load_state(tmp_path, module=module, optimizer=optimizer, ema=ema, recipe="r") == 0


def test_foreign_recipe_and_foreign_module_are_refused(tmp_path: Path) -> None:
    module, optimizer, ema = make()
    save_state(tmp_path, step=1, module=module, optimizer=optimizer, ema=ema, recipe="r")
    with pytest.raises(StateMismatchError, match="delete the state folder"):
        load_state(tmp_path, module=module, optimizer=optimizer, ema=ema, recipe="other")
    deeper = nn.Sequential(*module, nn.Linear(4, 1))
    with pytest.raises(StateMismatchError, match=r"2\.bias"):
        load_state(tmp_path, module=deeper, optimizer=build_adamw(deeper, lr=0.1), ema=None, recipe="r")


def test_only_whole_files_are_left(tmp_path: Path) -> None:
    module, optimizer, ema = make()
    for step in (1, 2):
        save_state(tmp_path, step=step, module=module, optimizer=optimizer, ema=ema, recipe="r")
    assert [path.name for path in state_file(tmp_path).parent.iterdir()] == [state_file(tmp_path).name]
    clear_state(tmp_path)
    clear_state(tmp_path)
    assert not state_file(tmp_path).parent.exists()


def test_fingerprint_tells_recipes_apart() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})
