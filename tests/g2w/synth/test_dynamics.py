from __future__ import annotations

import random
from itertools import pairwise

import pytest

from g2w.synth.dynamics import state_track, video_track
from g2w.ui.taxonomy import DYNAMICS


@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_tracks_cover_the_span_and_stay_in_range(dynamics: str) -> None:
    for seed in range(30):
        track = state_track(random.Random(seed), dynamics, 7, 20, 170)
        frames = [first for first, _ in track]
        assert frames[0] == 20 and frames == sorted(set(frames)) and frames[-1] < 170
        assert all(0 <= state < 7 for _, state in track)
        assert all(a[1] != b[1] for a, b in pairwise(track))


def test_every_dynamic_but_static_moves() -> None:
    for dynamics in set(DYNAMICS) - {"static"}:
        moved = sum(len(state_track(random.Random(seed), dynamics, 8, 0, 150)) > 1 for seed in range(20))
        assert moved >= 15, dynamics
    assert len(state_track(random.Random(0), "static", 8, 0, 150)) == 1


def test_counters_only_rise_and_drains_only_fall() -> None:
    for seed in range(10):
        up = [state for _, state in state_track(random.Random(seed), "counter", 10, 0, 150)]
        down = [state for _, state in state_track(random.Random(seed), "drain", 10, 0, 150)]
        assert up == sorted(up) and down == sorted(down, reverse=True)


def test_a_single_state_needs_no_rule() -> None:
    assert state_track(random.Random(0), "scroll", 1, 5, 50) == [[5, 0]]


def test_moving_pictures_play_at_their_own_rate_and_loop() -> None:
    track = video_track(random.Random(0), 12, 30, 120, 30, 10)
    assert {b[0] - a[0] for a, b in pairwise(track[1:])} == {3}
    assert {(b[1] - a[1]) % 12 for a, b in pairwise(track)} == {1}
    assert video_track(random.Random(0), 12, 30, 120, 30, 30)[-1][0] == 119


def test_clocks_tick_once_a_second_and_stop() -> None:
    track = state_track(random.Random(3), "clock", 3, 0, 300)
    assert [state for _, state in track] == [0, 1, 2] and track[2][0] - track[1][0] == 30
