"""Configuration: validated, and the same after a trip through JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from models.lite.config import FillConfig, LiteConfig, PairConfig, config_from_dict
from models.lite.presets import PRESETS, preset
from models.training.loop import LoopConfig


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_survive_json(name: str) -> None:
    config = preset(name)
    assert config.preset == name
    assert config_from_dict(json.loads(json.dumps(asdict(config)))) == config


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="mirror"):
        PairConfig(mirror=1.5)
    with pytest.raises(ValueError, match="context_px"):
        FillConfig(context_px=2)
    with pytest.raises(ValueError, match="widths"):
        LiteConfig(preset="x", train=LoopConfig(num_steps=30), widths=(8, 8, 8, 8, 6))
    with pytest.raises(ValueError, match="crop"):
        LiteConfig(preset="x", train=LoopConfig(num_steps=30), pairs=PairConfig(crop=(2000, 100)))
    with pytest.raises(ValueError, match="tiny"):
        preset("huge")
