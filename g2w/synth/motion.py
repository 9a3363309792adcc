"""How the interface of a game moves as a whole: sway, shake, slow redraws, being put away. Whole numbers only."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from g2w.synth.config import MotionGroup
from g2w.synth.dynamics import Track

FULL_LEVEL = 255
# What the broadcast adds lies above the game: it does not sway, is not redrawn with it, and stays when it is put away.
OVER_GAME = frozenset({"watermark", "stream_overlay"})
# These mark the point one aims at, which does not move with the rest of the interface.
AIMED = frozenset({"crosshair", "damage_feedback"})


def held(frame: int, fps: int, ui_fps: int) -> int:
    """The frame whose interface is still shown at `frame` when it is redrawn only `ui_fps` times a second."""
    return frame if ui_fps >= fps else -(-(frame * ui_fps // fps) * fps // ui_fps)


def run_length(values: Sequence[Sequence[int]]) -> Track:
    """[[first frame, *value], ...] of the values of frames 0, 1, 2, ...; neighbors differ."""
    track: Track = []
    for frame, value in enumerate(values):
        if not track or track[-1][1:] != list(value):
            track.append([frame, *value])
    return track


def at(track: Sequence[Sequence[int]], frame: int) -> Sequence[int]:
    """Values of a run-length track at `frame`; the first ones hold before its start."""
    return track[max(0, bisect_right(track, frame, key=lambda step: step[0]) - 1)][1:]


def sample_motion(rng: random.Random, group: MotionGroup, num_frames: int, fps: int) -> dict[str, Any]:
    """Draw `slow_fps`, `path` [[frame, dx, dy], ...] and `away` [[frame, level 0..255], ...] of a pair."""
    slow = rng.random() < group.slow_rate
    ui_fps = min(fps, rng.choice(group.slow_fps)) if slow else fps
    path = [(0, 0)] * num_frames
    if rng.random() < group.sway_rate:
        path = _sway(rng, rng.randint(*group.sway_px), num_frames)
    if rng.random() < group.shake_rate:
        path = _shake(rng, rng.randint(*group.shake_px), path)
    levels = [(FULL_LEVEL,)] * num_frames
    if rng.random() < group.transition_rate:
        levels = _away(rng, group, num_frames)
    return {"slow_fps": ui_fps, "path": run_length(path), "away": run_length(levels)}


def _sway(rng: random.Random, size: int, num_frames: int) -> list[tuple[int, int]]:
    """The interface lags behind the camera: two slow swings."""
    wx, wy = (math.tau / rng.uniform(25, 90) for _ in range(2))
    px, py = rng.uniform(0, math.tau), rng.uniform(0, math.tau)
    return [(round(size * math.sin(wx * t + px)), round(0.6 * size * math.sin(wy * t + py))) for t in range(num_frames)]


def _shake(rng: random.Random, size: int, path: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """One to three hits, each a jolt that dies away within half a second."""
    out = list(path)
    for _ in range(rng.randint(1, 3)):
        first, length = rng.randrange(len(path)), rng.randint(6, 16)
        for k in range(min(length, len(path) - first)):
            left = size * (length - k) / length
            x, y = out[first + k]
            out[first + k] = (x + round(rng.uniform(-left, left)), y + round(rng.uniform(-left, left)))
    return out


def _away(rng: random.Random, group: MotionGroup, num_frames: int) -> list[tuple[int]]:
    """The interface leaves by a fade or a cut, stays away for a while, and comes back the same way."""
    fade = rng.randint(*group.fade_frames) if rng.random() < 0.5 else 0
    gone = min(rng.randint(*group.away_frames), max(1, num_frames - 2 * fade))
    start = rng.randint(0, max(0, num_frames - gone - fade))
    out = []
    for t in range(num_frames):
        distance = max(start - t, t - (start + gone - 1), 0)
        out.append((FULL_LEVEL if distance > fade else FULL_LEVEL * distance // (fade + 1),))
    return out


class Hud:
    """The motion of a pair's interface, read from its recipe row."""

    def __init__(self, look: Mapping[str, Any], fps: int = 30) -> None:
        self._fps, self._slow = fps, int(look.get("slow_fps") or fps)
        self._path, self._away = look.get("path") or [[0, 0, 0]], look.get("away") or [[0, FULL_LEVEL]]

    def at(self, cls: str, frame: int) -> tuple[int, int, int, int]:
        """(frame whose interface is shown, dx, dy, level 0..255) of elements of a class at `frame`."""
        if cls in OVER_GAME:
            return frame, 0, 0, FULL_LEVEL
        shown = held(frame, self._fps, self._slow)
        dx, dy = (0, 0) if cls in AIMED else at(self._path, shown)
        return shown, dx, dy, at(self._away, shown)[0]
