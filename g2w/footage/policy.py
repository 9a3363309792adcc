"""A scripted, balanced, seeded policy: unbiased actions, and a camera that is nearly always moving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOVES = (("w",), ("w", "a"), ("w", "d"), ("s",), ("a",), ("d",), ())
"""Movement atoms, each as often as the others; standing still is paired with a turn."""

YAW_DEGREES = (0.0, 0.75, -0.75, 1.5, -1.5, 3.0, -3.0, 5.0, -5.0)
"""Yaw per frame in degrees, + = right. Zero, small (<= 2) and large, left and right equally often."""

PITCH_DEGREES = (0.0, 0.0, 0.0, 0.0, 0.4, -0.4)
MIN_FRAMES, MAX_FRAMES = 6, 24
STUCK_FRAMES, STUCK_UNITS = 6, 6.0
ESCAPE_FRAMES, ESCAPE_DEGREES = 18, 6.0
MAX_PITCH_DEGREES = 12.0


@dataclass(frozen=True)
class Action:
    """What is applied between two frames: keys, yaw and pitch in degrees (+ = right, + = up)."""

    keys: frozenset[str]
    mouse_dx: float
    mouse_dy: float


class Deck:
    """Draws without replacement and shuffles again when it is empty: shares stay balanced at every length."""

    def __init__(self, cards: int, rng: np.random.Generator) -> None:
        self._cards, self._rng = cards, rng
        self._left: list[int] = []

    def draw(self) -> int:
        """Index of the next card."""
        if not self._left:
            self._left = [int(i) for i in self._rng.permutation(self._cards)]
        return self._left.pop()


class BalancedPolicy:
    """Segments of random length, each with one movement and one turn; turns away when the player is stuck."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng([0x6277, seed])
        self._moves, self._yaws = Deck(len(MOVES), self._rng), Deck(len(YAW_DEGREES), self._rng)
        self._pitches = Deck(len(PITCH_DEGREES), self._rng)
        self._left = 0
        self._keys: frozenset[str] = frozenset()
        self._yaw = self._pitch = self._pitch_sum = 0.0
        self._trail: list[tuple[float, float]] = []
        self._escape_sign = 1.0
        self._fresh = False

    def act(self, x: float, y: float) -> Action:
        """The next action, given the player's position in map units."""
        self._trail = [*self._trail[-STUCK_FRAMES:], (x, y)]
        if self._is_stuck():
            self._escape()
        elif self._left == 0:
            self._begin_segment()
        self._left -= 1
        keys = set(self._keys)
        if self._fresh and self._rng.random() < 0.15:
            keys.add("use")  # opens doors; once per segment, because it is a tap
        self._fresh = False
        pitch = self._pitch if abs(self._pitch_sum + self._pitch) <= MAX_PITCH_DEGREES else 0.0
        self._pitch_sum += pitch
        return Action(frozenset(keys), self._yaw, pitch)

    def _begin_segment(self) -> None:
        keys = set(MOVES[self._moves.draw()])
        self._yaw = YAW_DEGREES[self._yaws.draw()]
        self._pitch = PITCH_DEGREES[self._pitches.draw()]
        if not keys and self._yaw == 0.0:
            keys = {"w"}  # a still picture teaches nothing and hides the interface from every statistic over time
        if self._rng.random() < 0.2:
            keys.add("sprint")
        if self._rng.random() < 0.15:
            keys.add("attack")
        self._keys = frozenset(keys)
        low, high = np.log(MIN_FRAMES), np.log(MAX_FRAMES + 1)
        self._left = int(np.exp(self._rng.uniform(low, high)))
        self._fresh = True

    def _is_stuck(self) -> bool:
        walking = bool(self._keys & {"w", "a", "s", "d"}) and self._left > 0
        if not walking or abs(self._yaw) >= ESCAPE_DEGREES or len(self._trail) <= STUCK_FRAMES:
            return False
        (x0, y0), (x1, y1) = self._trail[0], self._trail[-1]
        return float(np.hypot(x1 - x0, y1 - y0)) < STUCK_UNITS

    def _escape(self) -> None:
        # Alternate sides, so that walls do not bias the turns.
        self._escape_sign = -self._escape_sign
        self._yaw, self._pitch = self._escape_sign * ESCAPE_DEGREES, 0.0
        self._keys, self._left = frozenset({"w"}), ESCAPE_FRAMES
        self._trail = []
