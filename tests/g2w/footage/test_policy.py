from __future__ import annotations

from collections import Counter

import numpy as np

from g2w.footage.policy import MOVES, YAW_DEGREES, BalancedPolicy


def play(seed: int, steps: int, *, walls: bool = False) -> list:
    policy, x, actions = BalancedPolicy(seed), 0.0, []
    for _ in range(steps):
        action = policy.act(x, 0.0)
        x += 0.0 if walls else 10.0
        actions.append(action)
    return actions


def segments(actions: list) -> list:
    kept = [actions[0]]
    for action in actions[1:]:
        if (action.mouse_dx, action.keys - {"use"}) != (kept[-1].mouse_dx, kept[-1].keys - {"use"}):
            kept.append(action)
    return kept


def test_turns_are_balanced_and_unbiased() -> None:
    chosen = Counter(action.mouse_dx for action in segments(play(3, 60_000)))
    total = sum(chosen.values())
    for yaw in YAW_DEGREES:
        assert abs(chosen[yaw] / total - 1 / len(YAW_DEGREES)) < 0.02, (yaw, chosen)
    turned = [action.mouse_dx for action in play(3, 60_000)]
    assert abs(np.mean(turned)) < 0.1


def test_every_movement_is_used() -> None:
    moves = Counter(frozenset(a.keys & {"w", "a", "s", "d"}) for a in segments(play(5, 30_000)))
    assert set(moves) == {frozenset(m) for m in MOVES}
    assert min(moves.values()) / max(moves.values()) > 0.5


def test_the_picture_never_stands_still() -> None:
    assert all(action.mouse_dx or action.keys & {"w", "a", "s", "d"} for action in play(7, 5_000))


def test_a_wall_is_left_by_turning_both_ways() -> None:
    turns = [a.mouse_dx for a in segments(play(1, 2_000, walls=True)) if abs(a.mouse_dx) == 6.0]
    assert len(turns) > 10 and abs(sum(np.sign(turns))) <= 1


def test_same_seed_same_actions() -> None:
    assert play(11, 500) == play(11, 500) != play(12, 500)
