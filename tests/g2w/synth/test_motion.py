from __future__ import annotations

import random

import pytest

from g2w.synth.config import MotionGroup
from g2w.synth.motion import Hud, at, held, run_length, sample_motion


@pytest.mark.parametrize("ui_fps", [15, 20, 24, 30])
def test_slow_interfaces_are_redrawn_as_often_as_they_say(ui_fps: int) -> None:
    shown = [held(frame, 30, ui_fps) for frame in range(90)]
    assert len(set(shown)) == 3 * ui_fps
    assert all(0 <= frame - kept < 3 for frame, kept in enumerate(shown))
    assert shown == sorted(shown) and all(held(kept, 30, ui_fps) == kept for kept in shown)


def test_run_length_reads_back() -> None:
    values = [(0, 0), (0, 0), (2, -1), (2, -1), (0, 0)]
    track = run_length(values)
    assert track == [[0, 0, 0], [2, 2, -1], [4, 0, 0]]
    assert [tuple(at(track, frame)) for frame in range(5)] == values
    assert at([[10, 4]], 3) == [4]


def test_draws_stay_in_their_ranges_and_rates_zero_do_nothing() -> None:
    still = MotionGroup(sway_rate=0, shake_rate=0, slow_rate=0, transition_rate=0)
    calm = {"slow_fps": 30, "path": [[0, 0, 0]], "away": [[0, 255]]}
    assert sample_motion(random.Random(0), still, 150, 30) == calm
    wild = MotionGroup(sway_rate=1, shake_rate=1, slow_rate=1, transition_rate=1)
    for seed in range(40):
        drawn = sample_motion(random.Random(seed), wild, 150, 30)
        assert drawn["slow_fps"] in (15, 20, 24) and len(drawn["path"]) > 5
        # a hit may fall into another one
        assert max(abs(v) for _, *xy in drawn["path"] for v in xy) <= wild.sway_px[1] + 3 * wild.shake_px[1]
        levels = [level for _, level in drawn["away"]]
        assert 0 in levels and all(0 <= level <= 255 for level in levels)


def test_the_broadcast_and_the_reticle_do_not_follow_the_interface() -> None:
    hud = Hud({"slow_fps": 15, "path": [[0, 0, 0], [4, 3, -2]], "away": [[0, 255], [8, 100]]})
    assert hud.at("player_status", 5) == (4, 3, -2, 255)
    assert hud.at("player_status", 9) == (8, 3, -2, 100)
    assert hud.at("crosshair", 9) == (8, 0, 0, 100)
    assert hud.at("watermark", 9) == (9, 0, 0, 255)
    assert Hud({}).at("player_status", 9) == (9, 0, 0, 255)
