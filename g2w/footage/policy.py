"""A scripted, balanced, seeded policy: unbiased actions, and a camera that is nearly always moving.

Left and right are treated alike by every rule, so that no turn or strafe is preferred, and an action that walls forbid
stays in its deck and comes later: shares stay balanced on every map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from g2w.footage.walls import PLAYER_RADIUS, clearance

MOVES: tuple[tuple[tuple[str, ...], float | None], ...] = (
    (("w",), 0.0),
    (("w", "a"), 45.0),
    (("w", "d"), -45.0),
    (("s",), 180.0),
    (("a",), 90.0),
    (("d",), -90.0),
    ((), None),
)
"""Movement atoms, each as often as the others, with their direction; standing still is paired with a turn."""

YAW_DEGREES = (0.0, 0.75, -0.75, 1.5, -1.5, 3.0, -3.0, 5.0, -5.0)
"""Yaw per frame in degrees, + = right. Zero, small (<= 2) and large, left and right equally often."""

PITCH_DEGREES = (0.0, 0.0, 0.0, 0.0, 0.4, -0.4)
MAX_PITCH_DEGREES = 12.0
MIN_FRAMES, MAX_FRAMES = 6, 24
STUCK_FRAMES, STUCK_UNITS = 5, 5.0
NEAR_UNITS = 128.0
"""A wall nearer than this fills the picture: the policy turns until it sees further."""

BUMPS, BUMP_UNITS, BUMP_DEGREES = 8, 48.0, 60.0
"""What could not be known from the map (monsters, barrels) is remembered by place and direction."""


@dataclass(frozen=True)
class Action:
    """What is applied between two frames: keys, yaw and pitch in degrees (+ = right, + = up)."""

    keys: frozenset[str]
    mouse_dx: float
    mouse_dy: float


class Deck:
    """Draws without replacement and shuffles again when nothing fits: shares stay balanced at every length."""

    def __init__(self, cards: int, rng: np.random.Generator) -> None:
        self._cards, self._rng = cards, rng
        self._left: list[int] = []

    def draw(self, fits: Callable[[int], bool] = lambda card: True) -> int:
        """Index of the next card that fits; cards that do not fit keep their place. If none does, the next one."""
        for _ in range(2):
            for place, card in enumerate(self._left):
                if fits(card):
                    return self._left.pop(place)
            if len(self._left) <= 2 * self._cards:
                self._left += [int(i) for i in self._rng.permutation(self._cards)]
        return self._left.pop(0)


class BalancedPolicy:
    """Segments of random length, each with one movement and one turn, chosen where there is room."""

    def __init__(self, seed: int, walls: np.ndarray | None = None) -> None:
        self._rng = np.random.default_rng([0x6277, seed])
        self._walls = np.zeros((0, 4)) if walls is None else walls
        self._moves, self._yaws = Deck(len(MOVES), self._rng), Deck(len(YAW_DEGREES), self._rng)
        self._pitches = Deck(len(PITCH_DEGREES), self._rng)
        self._left = 0
        self._keys: frozenset[str] = frozenset()
        self._direction: float | None = None
        self._yaw = self._pitch = self._pitch_sum = 0.0
        self._trail: list[tuple[float, float]] = []
        self._bumps: list[tuple[float, float, float]] = []

    def act(self, x: float, y: float, yaw: float) -> Action:
        """The next action, given the player's position in map units and heading in degrees (growing to the left)."""
        self._trail = [*self._trail[-STUCK_FRAMES:], (x, y)]
        tapped = False
        if self._is_stuck():
            self._bumps = [*self._bumps[1 - BUMPS :], (x, y, yaw + (self._direction or 0.0))]
            self._left = 0
        if self._left == 0:
            tapped = self._begin_segment(x, y, yaw)
        self._left -= 1
        pitch = self._pitch if abs(self._pitch_sum + self._pitch) <= MAX_PITCH_DEGREES else 0.0
        self._pitch_sum += pitch
        # A tap opens a door; held down it would shut it again.
        return Action(self._keys | {"use"} if tapped else self._keys, self._yaw, pitch)

    def _begin_segment(self, x: float, y: float, yaw: float) -> bool:
        low, high = np.log(MIN_FRAMES), np.log(MAX_FRAMES + 1)
        self._left = int(np.exp(self._rng.uniform(low, high)))
        self._trail = [(x, y)]
        seen = self._view(x, y, yaw)

        def shows_more(card: int) -> bool:
            turn = YAW_DEGREES[card]
            then = self._view(x, y, yaw - turn * self._left)
            return then >= NEAR_UNITS or (turn != 0.0 and then > seen)

        self._yaw = YAW_DEGREES[self._yaws.draw(shows_more)]
        middle = yaw - self._yaw * self._left / 2
        keys, self._direction = MOVES[self._moves.draw(lambda card: self._has_room(MOVES[card][1], x, y, middle))]
        self._pitch = PITCH_DEGREES[self._pitches.draw()]
        more = [key for key, share in (("sprint", 0.2), ("attack", 0.15)) if self._rng.random() < share]
        self._keys = frozenset([*keys, *more])
        return bool(self._rng.random() < (0.6 if seen < NEAR_UNITS else 0.1))

    def _view(self, x: float, y: float, yaw: float) -> float:
        return clearance(self._walls, x, y, yaw)

    def _has_room(self, direction: float | None, x: float, y: float, yaw: float) -> bool:
        if direction is None:
            return self._yaw != 0.0  # a still picture teaches nothing and hides the interface from statistics over time
        heading = yaw + direction
        for bx, by, blocked in self._bumps:
            apart = abs((heading - blocked + 180) % 360 - 180)
            if np.hypot(bx - x, by - y) < BUMP_UNITS and apart < BUMP_DEGREES:
                return False
        return clearance(self._walls, x, y, heading, width=PLAYER_RADIUS) > PLAYER_RADIUS + 6 * min(self._left, 16)

    def _is_stuck(self) -> bool:
        if self._direction is None or self._left <= 0 or len(self._trail) <= STUCK_FRAMES:
            return False
        (x0, y0), (x1, y1) = self._trail[0], self._trail[-1]
        return float(np.hypot(x1 - x0, y1 - y0)) < STUCK_UNITS
