from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from g2w.synth.shelf import Shelf

Library = tuple[Path, list[dict[str, Any]]]


def test_whole_elements_parts_and_translations_stand_apart(library: Library) -> None:
    shelf, rng = Shelf(library[1], "a"), random.Random(0)
    assert shelf.themes == ["a00", "a01", "a02"]
    for _ in range(50):
        assert ":" not in shelf.pick(rng, "inventory", "")["theme"]
        assert shelf.pick(rng, "subtitle", "a01")["theme"] == "a01"
    assert {row["theme"].partition(":")[2] for row in shelf.parts["bar"]} == {"bar"}
    assert len(shelf.parts["icon"]) == 9
    found = shelf.localized(rng, "subtitle", "arabic")
    assert found is not None and found["theme"].endswith(":arabic") and found["style_set"] == "a"
    assert shelf.localized(rng, "crosshair", "arabic") is None


def test_a_class_without_asset_is_named(library: Library) -> None:
    rows = [row for row in library[1] if row["cls"] != "map_radar"]
    with pytest.raises(ValueError, match="map_radar"):
        Shelf(rows, "b")
