"""The moving average of weights."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from models.training.ema import EMA


def test_average_follows_slowly_and_can_be_lent() -> None:
    module = nn.Linear(2, 2)
    ema = EMA(module, 0.5)
    start = module.weight.detach().clone()
    with torch.no_grad():
        module.weight.add_(1.0)
    ema.update(module)
    # first update: decay is min(0.5, 1 / 10)
    assert torch.allclose(ema.shadow["weight"], start + 0.9)
    trained = module.weight.detach().clone()
    with ema.applied(module):
        assert torch.allclose(module.weight, start + 0.9)
    assert torch.equal(module.weight, trained)


def test_frozen_weights_are_left_out() -> None:
    module = nn.Linear(2, 2)
    module.bias.requires_grad_(False)
    assert set(EMA(module, 0.9).shadow) == {"weight"}


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\)"):
        EMA(nn.Linear(1, 1), 1.0)
    with pytest.raises(ValueError, match="missing"):
        EMA(nn.Linear(1, 1), 0.9).load({}, 0)
