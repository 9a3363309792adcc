"""Conditioning hooks: gate, zero initialization, reference frames. Numbers of the reference: test_kiwi_golden."""

from __future__ import annotations

import pytest
import torch

from models.cleaner.config import DiTConfig
from models.cleaner.dit import CleanerDiT

CONFIG = DiTConfig(
    num_heads=2, head_dim=12, num_layers=2, ffn_dim=32, channels=4, freq_dim=16, text_dim=24, patch=(1, 2, 2)
)


@pytest.fixture()
def inputs() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return {
        "z_t": torch.randn(2, 4, 3, 4, 6),
        "source": torch.randn(2, 4, 3, 4, 6),
        "context": torch.randn(2, 5, 24),
        "reference": torch.randn(2, 4, 1, 4, 6),
    }


def network(**options: bool) -> CleanerDiT:
    torch.manual_seed(1)
    return CleanerDiT(CONFIG, **options).eval()


@torch.no_grad()
def test_zero_gate_and_zero_embedder_equal_no_source(inputs) -> None:
    sigma = torch.tensor([0.7, 0.2])
    for model, gate in ((network(zero_source_embedder=False), torch.zeros(2)), (network(), sigma)):
        plain = model(inputs["z_t"], sigma, inputs["context"]).velocity
        given = model(inputs["z_t"], sigma, inputs["context"], source=inputs["source"], gate=gate).velocity
        assert torch.equal(plain, given)


@torch.no_grad()
def test_gate_scales_the_source_linearly_at_the_tokens(inputs) -> None:
    model = network(zero_source_embedder=False)
    seen: list[torch.Tensor] = []
    model.transformer.blocks[0].register_forward_pre_hook(lambda _module, args: seen.append(args[0]))
    sigma = torch.full((2,), 0.5)
    for gate in (0.0, 1.0, 0.25):
        model(inputs["z_t"], sigma, inputs["context"], source=inputs["source"], gate=torch.full((2,), gate))
    assert torch.allclose(seen[2] - seen[0], 0.25 * (seen[1] - seen[0]), atol=1e-6)


@torch.no_grad()
def test_reference_changes_the_result_but_not_its_shape(inputs) -> None:
    model = network()
    torch.nn.init.normal_(model.ref_embedder.patch_embedding.weight)
    sigma = torch.ones(2)
    plain = model(inputs["z_t"], sigma, inputs["context"])
    for first in (False, True):
        out = model(inputs["z_t"], sigma, inputs["context"], reference=inputs["reference"], reference_first=first)
        assert out.velocity.shape == plain.velocity.shape and out.hidden.shape == (2, 24, 3, 2, 3)
        assert not torch.allclose(out.velocity, plain.velocity)


@torch.no_grad()
def test_conditions_do_not_leak_into_the_next_call(inputs) -> None:
    model = network(zero_source_embedder=False)
    before = model(inputs["z_t"], torch.ones(2), inputs["context"]).velocity
    model(inputs["z_t"], torch.ones(2), inputs["context"], source=inputs["source"])
    assert torch.equal(before, model(inputs["z_t"], torch.ones(2), inputs["context"]).velocity)


@torch.no_grad()
def test_zero_head_starts_with_zero_velocity(inputs) -> None:
    out = network(zero_head=True)(inputs["z_t"], torch.ones(2), inputs["context"])
    assert not out.velocity.any() and out.hidden.any()
