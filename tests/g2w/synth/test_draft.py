from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from g2w.synth.config import LayoutGroup, StreamGroup, SynthConfig
from g2w.synth.draft import make_draft, span
from g2w.synth.shelf import Shelf
from g2w.ui.taxonomy import load_taxonomy

Library = tuple[Path, list[dict[str, Any]]]
LOOK = {"theme": "", "scale": 1.0, "margin": 10}


def test_hotbars_are_recombined_from_a_bar_and_icons(library: Library) -> None:
    shelf, item = Shelf(library[1], "a"), load_taxonomy()["inventory"]
    config = SynthConfig(layout=LayoutGroup(recombined_rate=1.0, filled_rate=1.0))
    icons = {row["asset_id"] for row in shelf.parts["icon"]}
    drafts = [make_draft(seed, 1, item, shelf, LOOK, 150, config) for seed in range(20)]
    for draft in drafts:
        assert draft.asset in shelf.parts["bar"] and len(draft.parts) == draft.asset["num_states"]
        assert {part["asset_id"] for part in draft.parts} <= icons
        assert all(p["x"] >= 0 and p["x"] + p["w"] <= draft.asset["w"] for p in draft.parts)
        assert all(p["y"] >= 0 and p["y"] + p["h"] <= draft.asset["h"] for p in draft.parts)
    assert len({tuple(p["asset_id"] for p in draft.parts) for draft in drafts}) > 15
    plain = make_draft(0, 1, item, shelf, LOOK, 150, config.without("layout"))
    assert not plain.parts and ":" not in plain.asset["theme"]


def test_words_are_localized_where_the_library_can(library: Library) -> None:
    shelf, taxonomy, look = Shelf(library[1], "a"), load_taxonomy(), {**LOOK, "script": "japanese"}
    for name, theme in (("subtitle", "japanese"), ("crosshair", "")):
        draft = make_draft(3, 1, taxonomy[name], shelf, look, 150, SynthConfig())
        assert draft.asset["theme"].partition(":")[2] == theme


def test_effects_and_wandering_ask_for_room(library: Library) -> None:
    shelf, taxonomy = Shelf(library[1], "a"), load_taxonomy()
    config = SynthConfig(stream=StreamGroup(wander_rate=1.0, wander_px=(40, 60)))
    look = {**LOOK, "effects": {"outline": [2, 0, 0, 0]}}
    bar = make_draft(1, 1, taxonomy["player_status"], shelf, look, 150, config)
    assert (bar.box.w, bar.box.h) == (bar.w + 4, bar.h + 4)
    mark = make_draft(1, 1, taxonomy["watermark"], shelf, look, 150, config)
    assert mark.pad == 0 and 40 <= mark.box.w - mark.w <= 60 and 20 <= mark.box.h - mark.h <= 30


def test_recorded_elements_keep_size_and_position(library: Library) -> None:
    rows = [{**row, "x": 77, "y": 55} if row["cls"] == "map_radar" else row for row in library[1]]
    config, item = SynthConfig(recorded_rate=1.0), load_taxonomy()["map_radar"]
    draft = make_draft(1, 1, item, Shelf(rows, "a"), {**LOOK, "scale": 0.8}, 150, config)
    assert draft.recorded == (77, 55) and (draft.w, draft.h) == (draft.asset["w"], draft.asset["h"])


def test_spans_follow_the_persistence() -> None:
    taxonomy, config, rng = load_taxonomy(), SynthConfig(), random.Random(0)
    assert span(rng, taxonomy["crosshair"], 150, config) == (0, 150)
    for _ in range(200):
        start, stop = span(rng, taxonomy["damage_feedback"], 150, config)
        assert start >= 0 and 6 <= stop - start <= 30 and stop <= 150
        start, stop = span(rng, taxonomy["chat_comms"], 150, config)
        assert stop - start >= 37
