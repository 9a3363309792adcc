from __future__ import annotations

import itertools
from collections import Counter

import numpy as np

from g2w.footage.policy import MOVES, YAW_DEGREES, Action, BalancedPolicy, Deck

ROOM = np.array([[0, 0, 600, 0], [600, 0, 600, 500], [600, 500, 0, 500], [0, 500, 0, 0]], float)
SPEED = 8.0


def play(seed: int, steps: int, *, walls: np.ndarray | None = None, blocked: bool = False) -> list[Action]:
    """A player that obeys: walks at constant speed and stops at the walls of ROOM, or never moves at all."""
    policy, at, yaw, actions = BalancedPolicy(seed, walls), np.array([300.0, 250.0]), 0.0, []
    for _ in range(steps):
        action = policy.act(at[0], at[1], yaw)
        yaw = (yaw - action.mouse_dx) % 360
        angles = {"w": 0, "a": 90, "s": 180, "d": -90}
        for key in action.keys & set(angles):
            turned = np.radians(yaw + angles[key])
            at = at + (0.0 if blocked else SPEED) * np.array([np.cos(turned), np.sin(turned)])
        at = at if walls is None else np.clip(at, 16, [584, 484])
        actions.append(action)
    return actions


def walked(action: Action) -> frozenset[str]:
    return frozenset(action.keys & {"w", "a", "s", "d"})


def imbalance(actions: list[Action]) -> dict[str, float]:
    """How far the shares of turns, movements, the two strafe keys and the mean turn are from even."""
    total, turns, moves = len(actions), Counter(a.mouse_dx for a in actions), Counter(walked(a) for a in actions)
    strafed = [sum(key in a.keys for a in actions) / total for key in "ad"]
    return {
        "turns": max(abs(turns[yaw] / total - 1 / len(YAW_DEGREES)) for yaw in YAW_DEGREES),
        "moves": max(abs(moves[frozenset(keys)] / total - 1 / len(MOVES)) for keys, _ in MOVES),
        "strafes": abs(strafed[0] - strafed[1]),
        "mean turn": abs(float(np.mean([a.mouse_dx for a in actions]))) / 10,
    }


def test_atoms_are_equally_frequent_in_the_open() -> None:
    off = imbalance(play(3, 40_000))
    assert max(off.values()) < 0.02, off


def test_walls_do_not_bias_the_actions() -> None:
    off = imbalance(play(4, 12_000, walls=ROOM))
    assert max(off.values()) < 0.05, off


def test_the_picture_never_stands_still() -> None:
    assert all(action.mouse_dx or walked(action) for action in play(7, 5_000))


def test_who_does_not_get_on_tries_another_way_soon() -> None:
    moves = [walked(a) for a in play(1, 600, blocked=True)]
    runs, length = [], 1
    for now, after in itertools.pairwise(moves):
        length = length + 1 if now == after and now else 1
        runs.append(length)
    assert max(runs) <= 24 and np.mean(runs) < 6 and len(set(moves)) == len(MOVES)


def test_pitch_stays_near_the_horizon() -> None:
    pitch = np.cumsum([a.mouse_dy for a in play(9, 8_000)])
    assert np.abs(pitch).max() <= 12.01 and pitch.std() > 1


def test_cards_that_do_not_fit_wait_for_their_turn() -> None:
    deck = Deck(4, np.random.default_rng(0))
    first = [deck.draw(lambda card: card != 2) for _ in range(3)]
    assert sorted(first) == [0, 1, 3] and deck.draw() == 2


def test_same_seed_same_actions() -> None:
    assert play(11, 500) == play(11, 500) != play(12, 500)
