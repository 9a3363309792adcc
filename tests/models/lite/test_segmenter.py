"""The network's shapes and its loss."""

from __future__ import annotations

import pytest
import torch

from models.lite.segmenter import Segmenter, mask_loss


@pytest.mark.parametrize("size", [(64, 96), (50, 70), (36, 128)])
def test_logits_have_the_size_of_the_evidence(size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    logits = Segmenter(15, (8, 8, 8, 8, 8))(torch.randn(2, 15, *size))
    assert logits.shape == (2, *size)
    # Before training everything is more likely world.
    assert logits.sigmoid().mean() < 0.4


def test_loss_prefers_the_truth() -> None:
    target = torch.zeros(1, 16, 16)
    target[:, 4:8, 4:12] = 1
    good, empty = 6.0 * (2 * target - 1), torch.full_like(target, -6.0)
    assert mask_loss(good, target) < 0.05
    assert mask_loss(empty, target) > mask_loss(good, target) + 0.5
    assert mask_loss(empty, torch.zeros_like(target)) < 0.5
