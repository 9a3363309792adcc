"""The cleaner's network against numbers computed by the published reference implementation (Kiwi-Edit, see
goldens/README.md)."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from models.cleaner.config import DiTConfig
from models.cleaner.connector import Connector, build_context
from models.cleaner.dit import CleanerDiT
from models.cleaner.kiwi_names import kiwi_to_ours, ours_to_kiwi
from models.cleaner.schedule import SIGMA_MIN_PORT, inference_sigmas, train_table

GOLDENS = Path(os.environ.get("G2W_GOLDENS") or Path(__file__).resolve().parents[4] / "shared" / "goldens")
NAME = "kiwi_dit"
VELOCITY_TOLERANCE = 5e-5

pytestmark = pytest.mark.skipif(
    not (GOLDENS / f"{NAME}.safetensors").exists(),
    reason=f"no golden {NAME}.safetensors in {GOLDENS}: set G2W_GOLDENS to the folder that holds it",
)


@pytest.fixture(scope="module")
def golden() -> tuple[dict[str, Tensor], dict[str, Any]]:
    return load_file(str(GOLDENS / f"{NAME}.safetensors")), json.loads((GOLDENS / f"{NAME}.json").read_text())


@pytest.fixture(scope="module")
def dit(golden: tuple[dict[str, Tensor], dict[str, Any]]) -> CleanerDiT:
    tensors, info = golden
    shape = info["config"]
    config = DiTConfig(
        num_heads=shape["num_attention_heads"], head_dim=shape["attention_head_dim"], num_layers=shape["num_layers"],
        ffn_dim=shape["ffn_dim"], channels=shape["in_channels"], freq_dim=shape["freq_dim"], text_dim=shape["text_dim"],
        patch=tuple(shape["patch_size"]), rope_max_seq_len=shape["rope_max_seq_len"],
    )  # fmt: skip
    model = CleanerDiT(config)
    parts = ("transformer.", "source_embedder.", "ref_embedder.")
    model.load_state_dict(
        {k[2:]: v for k, v in tensors.items() if k.startswith("w.") and k[2:].startswith(parts)}, strict=True
    )
    return model


def worst(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).abs().max())


@pytest.mark.parametrize("case", [0, 1, 2])
@pytest.mark.parametrize("kind", ["plain", "source", "ref_last", "ref_first", "ref_only", "ref_two_port"])
def test_velocity(golden, dit: CleanerDiT, case: int, kind: str) -> None:
    tensors, _ = golden
    key = f"case{case}.v_{kind}"
    if key not in tensors:
        assert kind == "ref_two_port"
        return
    references = {"ref_two_port": torch.cat([tensors["ref_latent"], tensors["ref_latent_b"]], dim=2)}
    with torch.no_grad():
        out = dit(
            tensors["z_t"],
            tensors[f"case{case}.sigma"],
            tensors["context"],
            timestep=tensors[f"case{case}.timestep"],
            source=None if kind in ("plain", "ref_only") else tensors["source_latent"],
            reference=references.get(kind, tensors["ref_latent"]) if "ref" in kind else None,
            reference_first=kind == "ref_first",
        )
    assert worst(out.velocity, tensors[key]) < VELOCITY_TOLERANCE


def test_gate_is_the_sigma_of_the_step(golden, dit: CleanerDiT) -> None:
    tensors, _ = golden
    sigma = tensors["case1.sigma"]
    with torch.no_grad():
        ungated = dit(
            tensors["z_t"], sigma, tensors["context"], source=tensors["source_latent"], gate=torch.ones_like(sigma)
        )
    assert worst(ungated.velocity, tensors["case1.v_source"]) > 0.05


def test_training_table_and_loss_weights(golden) -> None:
    tensors, _ = golden
    table = train_table(5.0)
    assert worst(table.sigmas, tensors["train.sigmas"]) < 1e-6
    assert worst(table.timesteps / 1000, tensors["train.timesteps"] / 1000) < 2e-6
    assert worst(table.weights, tensors["train.loss_weights"]) < 2e-6
    assert table.weights[0] == 0.0


def test_bf16_rounding_moves_the_rows_it_moves(golden) -> None:
    tensors, _ = golden
    rows = train_table(5.0).bf16_rows()
    assert torch.equal(rows.int(), tensors["train.bf16_row"])
    assert int((rows != torch.arange(1000)).sum()) == 706


@pytest.mark.parametrize("steps", [4, 50])
@pytest.mark.parametrize(("flavor", "sigma_min"), [("train_code", 0.0), ("port", SIGMA_MIN_PORT)])
def test_inference_sigmas(golden, steps: int, flavor: str, sigma_min: float) -> None:
    tensors, _ = golden
    ours = inference_sigmas(steps, 5.0, sigma_min=sigma_min)[:-1]
    assert worst(ours, tensors[f"infer{steps}.sigmas_{flavor}"]) < 1e-6
    assert worst(ours, tensors[f"infer{steps}.timesteps_{flavor}"] / 1000) < 2e-6


@pytest.mark.parametrize(("flavor", "sigma_min"), [("train_code", 0.0), ("port", SIGMA_MIN_PORT)])
def test_four_euler_steps(golden, dit: CleanerDiT, flavor: str, sigma_min: float) -> None:
    tensors, _ = golden
    sigmas, z = inference_sigmas(4, 5.0, sigma_min=sigma_min), tensors["z_t"]
    with torch.no_grad():
        for now, after in pairwise(sigmas):
            out = dit(
                z, now[None], tensors["context"], source=tensors["source_latent"], reference=tensors["ref_latent"]
            )
            z = z + (after - now) * out.velocity
    assert worst(z, tensors[f"sample4.{flavor}"]) < VELOCITY_TOLERANCE


def test_training_step_loss_and_gradients(golden, dit: CleanerDiT) -> None:
    tensors, info = golden
    table, row = train_table(5.0), info["loss_row"]
    sigma = table.sigmas[row]
    z_t = (1 - sigma) * tensors["loss.clean"] + sigma * tensors["loss.eps"]
    assert worst(z_t, tensors["loss.z_t"]) < 1e-6
    dit.zero_grad()
    out = dit(z_t, sigma[None], tensors["context"], source=tensors["source_latent"], reference=tensors["ref_latent"])
    mse = (out.velocity - (tensors["loss.eps"] - tensors["loss.clean"])).square().mean()
    loss = mse * table.weights[row]
    loss.backward()
    assert abs(loss.item() / tensors["loss.value"].item() - 1) < 1e-5
    gradients = dict(dit.named_parameters())
    for name in (key for key in tensors if key.startswith("grad.")):
        assert worst(gradients[name.removeprefix("grad.")].grad, tensors[name]) < 2e-6, name
    dit.zero_grad()


def test_connector_contexts(golden) -> None:
    tensors, info = golden
    shape, ids = info["config"], info["token_ids"]
    built = {}
    for name in ("connector", "ref_connector"):
        built[name] = Connector(shape["mllm_hidden"], shape["dim"])
        built[name].load_state_dict(
            {k.removeprefix(f"w.{name}."): v for k, v in tensors.items() if k.startswith(f"w.{name}.")}
        )
    common = {
        "num_queries": shape["num_queries"], "placeholder_id": ids["placeholder"],
        "vision_ids": (ids["vision_start"], ids["vision_end"]),
    }  # fmt: skip
    states, tokens = tensors["mllm.last_hidden"], tensors["mllm.input_ids"]
    cases = {
        "context_tail": build_context(states, tokens, built["connector"], query_slice="tail", **common),
        "context_tail_ref": build_context(
            states, tokens, built["connector"], built["ref_connector"], query_slice="tail", **common
        ),
        "context_by_placeholder": build_context(states, tokens, built["connector"], **common),
    }
    for name, ours in cases.items():
        assert worst(ours, tensors[f"mllm.{name}"]) < 1e-6, name
    assert worst(cases["context_tail"], cases["context_by_placeholder"]) > 1


def test_released_names_map_one_to_one(golden) -> None:
    _, info = golden
    for ours, theirs in info["original_names"].items():
        assert kiwi_to_ours(theirs) == ours.removeprefix("w."), theirs
        assert ours_to_kiwi(ours.removeprefix("w.")) == theirs, ours
