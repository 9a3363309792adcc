"""Presets and configuration: three sizes of one path, full errors, and a trip through JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from models.cleaner.config import DiTConfig, FlowConfig, WindowConfig, config_from_dict
from models.cleaner.model import GameCleaner
from models.cleaner.presets import PRESETS, paper, preset, tiny
from models.cleaner.weights import MissingWeightsError, resolve_weights


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_survive_json(name: str) -> None:
    config = preset(name)
    assert config.preset == name
    assert config_from_dict(json.loads(json.dumps(asdict(config)))) == config


def test_paper_is_the_published_setting() -> None:
    config = paper()
    assert config.lora is not None and config.lora.rank == 64
    assert config.train.num_steps == 3000 and config.train.lr == 1e-4 and config.train.accumulate == 32
    assert config.reference_dropout == 0.2 and config.dit.width == 3072
    assert (config.flow.prior, config.flow.gate, config.flow.weighting, config.flow.shift) == (
        "noise",
        "sigma",
        "kiwi",
        5.0,
    )


@pytest.mark.parametrize("name", ["dev", "paper"])
def test_absent_weights_name_directory_id_and_command(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("G2W_WEIGHTS", str(tmp_path))
    with pytest.raises(MissingWeightsError) as error:
        GameCleaner(preset(name))
    text = str(error.value)
    assert "Wan-AI/" in text and str(tmp_path) in text and "hf download" in text


def test_local_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "vae").mkdir()
    (tmp_path / "vae" / "config.json").write_text("{}")
    assert resolve_weights(str(tmp_path), subfolder="vae") == tmp_path / "vae"


def test_bad_values_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"window\.height 100"):
        replace(tiny(), window=WindowConfig(height=100, width=256))
    with pytest.raises(ValueError, match="channels"):
        replace(tiny(), dit=replace(tiny().dit, channels=7))
    with pytest.raises(ValueError, match="refill_share"):
        FlowConfig(prior="noise", refill_share=0.5)
    with pytest.raises(ValueError, match="4n\\+1"):
        WindowConfig(num_frames=8)
    with pytest.raises(ValueError, match="head_dim"):
        DiTConfig(num_heads=1, head_dim=7, num_layers=1, ffn_dim=8, channels=4)
    with pytest.raises(ValueError, match=r"WindowConfig has no field \['pace'\]"):
        config_from_dict({**asdict(tiny()), "window": {"pace": 1}})
    with pytest.raises(ValueError, match="unknown cleaner preset 'huge'"):
        preset("huge")
