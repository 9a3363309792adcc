from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from g2w.synth.config import AppearanceGroup, SynthConfig
from g2w.synth.draft import make_draft
from g2w.synth.element import Spot, make_element
from g2w.synth.shelf import Shelf
from g2w.ui.taxonomy import load_taxonomy

Library = tuple[Path, list[dict[str, Any]]]
LOOK = {"theme": "a00", "scale": 0.9, "margin": 20, "filter": "lanczos", "frost": 0, "effects": {}}
SPOT = Spot(40, 30, "zone", "TL", [])


def _make(library: Library, cls: str, config: SynthConfig, seed: int = 2, **look: Any) -> dict[str, Any]:
    all_of = {**LOOK, **look}
    draft = make_draft(seed, 1, load_taxonomy()[cls], Shelf(library[1], "a"), all_of, 150, config)
    return make_element(seed, 0, draft, SPOT, all_of, config)


def test_effects_move_the_picture_into_its_box(library: Library) -> None:
    element = _make(library, "player_status", SynthConfig(), effects={"outline": [2, 0, 0, 0]})
    assert (element["x"], element["y"]) == (42, 32)
    assert element["effects"] == {"outline": [2, 0, 0, 0]} and element["filter"] == "lanczos"


def test_only_panels_of_the_game_are_frosted_and_they_let_the_world_through(library: Library) -> None:
    panel = _make(library, "objective_tracker", SynthConfig(), frost=5)
    assert panel["frost"] == 5 and 115 <= panel["opacity"] <= 217
    for cls in ("crosshair", "subtitle", "watermark", "stream_overlay"):
        assert "frost" not in _make(library, cls, SynthConfig(), frost=5)


def test_broadcast_elements_have_their_own_rate_and_no_look_of_the_game(library: Library) -> None:
    overlay = _make(library, "stream_overlay", SynthConfig(), effects={"outline": [2, 0, 0, 0]})
    assert "effects" not in overlay and "filter" not in overlay and len(overlay["states"]) >= 40
    marks = {_make(library, "watermark", SynthConfig(), seed)["opacity"] for seed in range(30)}
    assert len(marks) > 20 and min(marks) >= 76
    assert "filter" not in _make(library, "player_status", SynthConfig().without("appearance"))


def test_faint_elements_are_drawn_at_their_rate(library: Library) -> None:
    always = SynthConfig(appearance=AppearanceGroup(faint_rate=1.0, faint_opacity=(0.4, 0.5)))
    assert all(102 <= _make(library, "map_radar", always, seed)["opacity"] <= 128 for seed in range(20))


def test_the_match_clock_ticks_once_a_second(library: Library) -> None:
    frames = [frame for frame, _ in _make(library, "match_status", SynthConfig())["states"]]
    assert {b - a for a, b in pairwise(frames[1:])} == {30}
