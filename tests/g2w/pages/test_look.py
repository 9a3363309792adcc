"""Recipes in words."""

from __future__ import annotations

import json
from typing import Any

from g2w.pages.look import effects_text, element_facts, look_facts

ELEMENT: dict[str, Any] = {
    "element_id": "e00", "cls": "subtitle", "asset_id": "ab", "x": 10, "y": 20, "w": 30, "h": 40, "zone": "BC",
    "placed": "zone", "start": 15, "stop": 45, "animation": "wipe_trail", "states": [[0, 0], [3, 1]], "num_states": 4,
    "opacity": 204,
}  # fmt: skip


def test_a_look_names_what_acts_and_nothing_else() -> None:
    look = {
        "groups": ["motion", "codec"], "theme": "a01", "scale": 1.153, "margin": 17, "formation": "", "gap": 4,
        "frost": 0, "effects": {"glow": [3, 255, 0, 16, 200], "shadow": [1, 2, 0, 90], "outline": [1, 0, 0, 0]},
        "slow_fps": 15, "path": [[0, 0, 0], [9, -5, 2]], "away": [[0, 255]],
        "codec": {"encoder": "libx265", "kbps": 900, "chroma": "yuv420p"}, "dropped": ["inventory"],
    }  # fmt: skip
    facts = dict(look_facts({"look": json.dumps(look)}))
    assert facts == {
        "groups": "motion, codec",
        "theme": "a01",
        "interface scale": "× 1.15",
        "margin": "17 px",
        "effects": "glow 3 px #ff0010, shadow (1, 2) px, outline 1 px #000000",
        "motion": "moves by up to 5 px, redrawn 15 times a second",
        "codec": "libx265, 900 kbit/s, yuv420p",
        "dropped": "inventory",
    }
    assert dict(look_facts({"look": None})) == {"groups": "none", "theme": "mixed"}


def test_an_element_says_where_when_and_how() -> None:
    (facts,) = element_facts({"elements": json.dumps([ELEMENT])}, 30)
    assert facts["place"] == "10, 20 · 30 × 40 · BC (zone)"
    assert facts["when"] == "0.50 – 1.50 s, wipe trail"
    assert (facts["changes"], facts["finish"]) == ("2 of 4 states", "opacity 80%")
    moved = {**ELEMENT, "states": [[0, 0]], "path": [[0, 1, 1]], "frost": 5}
    (facts,) = element_facts({"elements": json.dumps([moved])}, 30)
    assert (facts["changes"], facts["finish"]) == ("wanders", "opacity 80%, frosted 5 px")
    assert effects_text({"effects": {"shadow": [3, 2, 2, 186]}}) == "shadow (3, 2) px, blur 2 px"
