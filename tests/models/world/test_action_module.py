"""The action module against numbers of the published reference (Matrix-Game 2.0) and against its own promises."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from models.world.action_module import ActionModule, causal_mask, group_index
from models.world.config import ActionConfig

GOLDENS = Path(os.environ.get("G2W_GOLDENS") or Path(__file__).resolve().parents[4] / "shared" / "goldens")
TOLERANCE = 5e-6
needs_golden = pytest.mark.skipif(
    not (GOLDENS / "mg2_action.safetensors").exists(),
    reason=f"no golden mg2_action.safetensors in {GOLDENS}: set G2W_GOLDENS to the folder that holds it",
)


@needs_golden
@pytest.mark.parametrize("case", ["bidirectional", "causal_global", "causal_local"])
def test_matches_the_reference(case: str) -> None:
    tensors = load_file(str(GOLDENS / "mg2_action.safetensors"))
    config = json.loads((GOLDENS / "mg2_action.json").read_text())["config"]
    own = ActionConfig(
        blocks=(), num_keys=config["keyboard_dim_in"], embed_dim=config["hidden_size"], num_heads=config["heads_num"]
    )
    module = ActionModule(own, config["img_hidden_size"])
    module.load_state_dict({k[2:]: v for k, v in tensors.items() if k.startswith("w.")}, strict=True)
    frames = len(tensors["group_index"])
    assert torch.equal(group_index(frames), tensors["group_index"].long())
    local = -1 if case == "causal_global" else config.get("local_attn_size", 6)
    mask = None if case == "bidirectional" else causal_mask(frames, 3, local)
    with torch.no_grad():
        both = module(tensors["x"], tensors["keyboard"], tensors["mouse"], frames, mask=mask)
        keys = module(tensors["x"], tensors["keyboard"], None, frames, mask=mask)
    assert (both - tensors[f"y_{case}"]).abs().max() <= TOLERANCE
    assert (keys - tensors[f"y_{case}_keyboard_only"]).abs().max() <= TOLERANCE


def test_a_fresh_module_changes_nothing_and_still_learns() -> None:
    module = ActionModule(ActionConfig(blocks=(0,), embed_dim=8, num_heads=1), 24)
    x, keyboard, mouse = torch.randn(2, 3 * 4, 24), torch.rand(2, 8, 7), torch.randn(2, 8, 2)
    out = module(x, keyboard, mouse, 3)
    assert torch.equal(out, x)
    out.square().sum().backward()
    assert module.proj_mouse.weight.grad.abs().sum() > 0 and module.proj_keyboard.weight.grad.abs().sum() > 0


def test_groups_end_one_row_before_and_start_with_row_zero() -> None:
    index = group_index(4)
    assert index.shape == (4, 12)
    assert index[0].tolist() == [0] * 12
    assert index[2].tolist() == [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]
    assert index[3].tolist() == list(range(12))
