"""Schedules, without goldens: properties that any machine can check. Tables of the reference: test_kiwi_golden."""

from __future__ import annotations

import pytest
import torch

from models.cleaner.kiwi_names import kiwi_to_ours, ours_to_kiwi
from models.cleaner.schedule import SIGMA_MIN_PORT, inference_sigmas, loss_weights, train_table


def test_table_runs_from_pure_prior_to_clean() -> None:
    table = train_table(5.0)
    assert table.sigmas[0] == 1.0 and (table.sigmas.diff() < 0).all() and table.sigmas[-1] < 0.01
    assert table.weights.mean().item() == pytest.approx(1.0, abs=1e-5)
    assert int(table.weights.argmax()) == 833
    assert torch.equal(train_table(weighting="uniform").weights, torch.ones(1000))


def test_weights_vanish_at_the_start() -> None:
    assert loss_weights(torch.tensor([1000.0, 500.0, 100.0]))[0] == 0


def test_inference_ends_at_zero_and_the_port_differs() -> None:
    sigmas = inference_sigmas(6)
    assert len(sigmas) == 7 and sigmas[0] == 1 and sigmas[-1] == 0
    assert (1000 * sigmas[1:6]).round().tolist() == [962.0, 909.0, 833.0, 714.0, 500.0]
    assert not torch.allclose(sigmas, inference_sigmas(6, sigma_min=SIGMA_MIN_PORT))
    with pytest.raises(ValueError, match="num_steps"):
        inference_sigmas(0)


def test_names_of_unknown_parts_are_refused() -> None:
    assert ours_to_kiwi(kiwi_to_ours("dit.blocks.3.norm3.weight")) == "dit.blocks.3.norm3.weight"
    with pytest.raises(KeyError, match="image_queries"):
        kiwi_to_ours("mllm.image_queries.q")
