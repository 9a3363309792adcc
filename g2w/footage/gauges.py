"""What the interface shows over time: numbers the engine holds as inventory items that nothing in the world reads.

A PWAD may define items of its own, and SBARINFO can print them, fill bars with them and choose pictures by amount. So
health, clocks, headings and notices move as in a real game, while the player stays unhurt and the world is the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from g2w.footage.instruments import HEADINGS

CYCLE_FRAMES = 240
STEP_FRAMES = 2
"""Notices follow `GwStep`, which counts pairs of frames in a cycle of eight seconds."""

NAMES = (
    "GwHealth",
    "GwShield",
    "GwClip",
    "GwStock",
    "GwMinute",
    "GwSecond",
    "GwScore",
    "GwRival",
    "GwMateA",
    "GwMateB",
    "GwMateC",
    "GwYaw",
    "GwSlot",
    "GwStep",
)
PERCENT = ("GwHealth", "GwShield", "GwMateA", "GwMateB", "GwMateC")
"""Gauges of 0 to 100, for bars: the engine fills a bar to amount / MaxAmount."""

DECORATE = "".join(
    f"actor {name} : Inventory {{ Inventory.MaxAmount {100 if name in PERCENT else 1000} }}\n" for name in NAMES
)


@dataclass(frozen=True)
class Gauges:
    """The values of one episode, a pure function of its seed, the frame and the heading."""

    seed: int

    def at(self, frame: int, yaw: float) -> dict[str, int]:
        """Value per gauge.

        Args:
            frame: 0 for the first.
            yaw: degrees as the engine counts them, 90 = north, growing to the left.
        """
        rng = np.random.default_rng([0x6875, self.seed])
        phase = rng.uniform(0, math.tau, 5)
        start, clip = int(rng.integers(60, 840)), int(rng.integers(18, 41))
        second = start + frame // 30
        fire = (frame + int(rng.integers(0, 200))) // 7
        return {
            "GwHealth": _wave(frame, phase[0], 66, 25, 150, 9, 41),
            "GwShield": _wave(frame, phase[1], 55, 38, 210, 7, 53),
            "GwClip": clip - fire % clip,
            "GwStock": max(5, 180 - fire // clip * clip),
            "GwMinute": second // 60,
            "GwSecond": second % 60,
            "GwScore": int(rng.integers(2, 20)) + (frame + int(rng.integers(0, 90))) // 90,
            "GwRival": int(rng.integers(2, 20)) + (frame + int(rng.integers(0, 130))) // 130,
            "GwMateA": _wave(frame, phase[2], 70, 25, 170, 4, 37),
            "GwMateB": _wave(frame, phase[3], 52, 40, 230, 6, 61),
            "GwMateC": _wave(frame, phase[4], 40, 35, 190, 4, 47),
            "GwYaw": round((90.0 - yaw) % 360 * HEADINGS / 360) % HEADINGS,
            "GwSlot": (frame + int(rng.integers(0, 75))) // 75 % 4,
            "GwStep": (frame + int(rng.integers(0, CYCLE_FRAMES))) % CYCLE_FRAMES // STEP_FRAMES,
        }


def _wave(frame: int, phase: float, middle: float, swing: float, period: float, ripple: float, short: float) -> int:
    """A slow swing with a ripple, 1 to 100; periods in frames."""
    slow = swing * math.sin(phase + math.tau * frame / period)
    quick = ripple * math.sin(2 * phase + math.tau * frame / short)
    return int(min(100, max(1, round(middle + slow + quick))))


def commands(now: dict[str, int], target: dict[str, int]) -> list[str]:
    """Console commands that bring the player's items from `now` to `target`; empty where nothing changes."""
    lines = []
    for name, value in target.items():
        change = value - now.get(name, 0)
        if change:
            lines.append(f"{'give' if change > 0 else 'take'} {name} {abs(change)}")
    return lines
