"""The real engine: the interface moves, the world does not notice it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from g2w.footage.engine import NATIVE_WARM_UP_TICS, Scene, play
from g2w.footage.hud import STYLES, build_hud
from g2w.footage.truth import verify_twin

FRAMES = 30


@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_an_exact_twin_and_shows_all_its_elements(style: str) -> None:
    scene = Scene(
        *(("freedoom2", "MAP11") if style[0] == "a" else ("freedoom1", "E4M6")), seed=3, num_frames=FRAMES, hud=style
    )
    shown, log = play(scene)
    hidden, hidden_log = play(replace(scene, show=False), replay=log)
    rows = verify_twin(shown, hidden, build_hud(style).elements)
    assert log == hidden_log and len(log) == FRAMES
    seen = {row["element_id"]: sum(r["visible"] for r in rows if r["element_id"] == row["element_id"]) for row in rows}
    steady = {e.element_id for e in build_hud(style).elements} - {
        "pickup",
        "feed",
        "hint",
        "alarm",
        "line",
        "message",
        "armor",
    }
    assert all(seen[name] == FRAMES for name in steady), seen


def test_bars_compass_and_numbers_move_over_time() -> None:
    frames, log = play(Scene("freedoom2", "MAP11", 3, 61, "a2"))
    kept = [frame for index, frame in enumerate(frames) if index in (0, 60)]
    assert any(row["mouse_dx"] for row in log)
    for element in build_hud("a2").elements:
        x, y, w, h = element.zone
        first, last = (frame[y : y + h, x : x + w] for frame in kept)
        if element.cls in ("player_status", "navigation_compass", "map_radar"):
            assert (first != last).mean() > 0.02, element


def test_a_map_that_ends_starts_anew_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import vizdoom

    finished = vizdoom.DoomGame.is_episode_finished
    calls = iter(range(100))
    monkeypatch.setattr(vizdoom.DoomGame, "is_episode_finished", lambda game: next(calls) == 7 or finished(game))
    frames, log = play(Scene("freedoom2", "MAP11", 3, 12))
    assert sum(1 for _ in frames) == 12
    assert [row["frame_index"] for row in log if not row["valid"]] == [7]
    assert (log[8]["x"], log[8]["y"]) == (log[0]["x"], log[0]["y"])


def test_the_player_is_not_hurt_and_the_native_interface_starts_quiet() -> None:
    frames, _ = play(Scene("freedoom1", "E1M1", 3, 1, "b4"))
    x, y, w, h = next(e.zone for e in build_hud("b4").elements if e.element_id == "message")
    hidden, _ = play(Scene("freedoom1", "E1M1", 3, 1, "b4", show=False))
    assert NATIVE_WARM_UP_TICS > 105
    first, plain = next(frames), next(hidden)
    assert np.array_equal(first[y : y + h, x : x + w], plain[y : y + h, x : x + w])


def test_where_the_player_was_held_the_action_is_marked() -> None:
    # In this play the player steps on a teleporter, which holds it for half a second.
    frames, log = play(Scene("freedoom1", "E3M3", 305, 150, "b2"))
    assert sum(1 for _ in frames) == 150
    held = [row for row in log[:-1] if not row["valid"]]
    turned = [
        abs((now["yaw"] - after["yaw"] + 180) % 360 - 180 - now["mouse_dx"]) < 0.05 for now, after in pairwise(log)
    ]
    assert [row["valid"] for row in log[:-1]] == turned
    assert 5 <= len(held) <= 30


def test_looking_up_and_walking_have_the_documented_signs() -> None:
    frames, log = play(Scene("freedoom2", "MAP11", 100, 150))
    assert sum(1 for _ in frames) == 150
    assert all(abs((a["pitch"] - b["pitch"] + 180) % 360 - 180 - a["mouse_dy"]) < 0.05 for a, b in pairwise(log))
    sides, speeds = {"w": 0, "a": 90, "s": 180, "d": -90}, []
    for before, now, after in zip(log, log[5:], log[6:], strict=False):
        held = [key for key in sides if now[key]]
        if len(held) == 1 and all(before[key] == now[key] for key in sides):  # enough for the momentum to turn round
            heading = np.radians(now["yaw"] + sides[held[0]])
            moved = np.array([after["x"] - now["x"], after["y"] - now["y"]])
            speeds.append(float(moved @ [np.cos(heading), np.sin(heading)]))
    assert len(speeds) > 15 and np.mean(speeds) > 2.0
