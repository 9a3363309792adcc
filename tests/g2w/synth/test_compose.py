from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from g2w.synth.compose import Composer
from g2w.synth.config import SynthConfig
from g2w.synth.shelf import Shelf
from g2w.ui.taxonomy import load_taxonomy

Library = tuple[Path, list[dict[str, Any]]]
LOOK = {"theme": "a00", "scale": 0.9, "margin": 20, "filter": "area", "frost": 0, "effects": {}}


@pytest.fixture(scope="module")
def composer(library: Library) -> Composer:
    return Composer(Shelf(library[1], "a"), SynthConfig())


def test_mirrored_elements_face_each_other(composer: Composer) -> None:
    wanted = [load_taxonomy()[name] for name in ("player_status", "map_radar")]
    elements, dropped = composer.compose(4, wanted, {**LOOK, "formation": "mirror", "gap": 8}, 150)
    assert not dropped and [e["placed"] for e in elements] == ["formation"] * 2
    left, right = sorted(elements, key=lambda e: e["x"])
    assert left["x"] == 20 and right["x"] + right["w"] == 1260


def test_a_kill_feed_is_one_block(composer: Composer) -> None:
    elements, dropped = composer.compose(4, [load_taxonomy()["event_feed"]] * 3, LOOK, 150)
    assert not dropped and [e["placed"] for e in elements] == ["stacked"] * 3
    assert len({e["y"] for e in elements}) == 1 and all(e["path"] for e in elements)


def test_what_finds_no_place_is_listed(composer: Composer) -> None:
    elements, dropped = composer.compose(4, [load_taxonomy()["map_radar"]] * 40, {**LOOK, "scale": 1.25}, 150)
    assert dropped and set(dropped) == {"map_radar"} and len(elements) + len(dropped) == 40
