"""How values move during a clip: which state of an asset is shown from which frame on."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

Track = list[list[int]]  # [[first frame, state], ...], frames ascending, states differ from their neighbor


def state_track(rng: random.Random, dynamics: str, num_states: int, start: int, stop: int) -> Track:
    """States of an element shown in frames start..stop-1, run-length coded.

    Explicit tracks (instead of formulas) keep the renderer free of floating point: any machine redraws the same pixels.

    Raises:
        KeyError: if `dynamics` is neither one of the taxonomy's dynamics nor `clock`.
    """
    if num_states <= 1:
        return [[start, 0]]
    states = _RULES[dynamics](rng, num_states, stop - start)
    track: Track = []
    for offset, state in enumerate(states):
        if not track or state != track[-1][1]:
            track.append([start + offset, state])
    return track


def _static(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    return [rng.randrange(num_states)] * num_frames


def _wave(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    """Sum of two slow sinusoids around a level (spec/evals.md 1.4: value-driven)."""
    level, w1, w2 = rng.uniform(0.35, 0.8), math.tau / rng.uniform(90, 400), math.tau / rng.uniform(30, 120)
    a1, a2, p1, p2 = rng.uniform(0.05, 0.35), rng.uniform(0, 0.12), rng.uniform(0, 7), rng.uniform(0, 7)
    top, sin = num_states - 1, math.sin
    values = (level + a1 * sin(w1 * t + p1) + a2 * sin(w2 * t + p2) for t in range(num_frames))
    return [round(top * min(1.0, max(0.0, value))) for value in values]


def _drain(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    first, last = rng.uniform(0.7, 1.0), rng.uniform(0.0, 0.5)
    top, span = num_states - 1, max(1, num_frames - 1)
    return [round(top * (first + (last - first) * t / span)) for t in range(num_frames)]


def _events(rng: random.Random, num_states: int, num_frames: int, gap: float, wrap: bool, jump: bool) -> list[int]:
    states: list[int] = []
    state, wait = (rng.randrange(num_states) if jump or wrap else 0), rng.expovariate(1 / gap)
    for t in range(num_frames):
        if t >= wait:
            wait += max(3.0, rng.expovariate(1 / gap))
            state = rng.randrange(num_states) if jump else state + 1
            state = state % num_states if wrap else min(num_states - 1, state)
        states.append(state)
    return states


def _counter(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    return _events(rng, num_states, num_frames, rng.uniform(6, 40), wrap=False, jump=False)


def _select(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    return _events(rng, num_states, num_frames, rng.uniform(25, 120), wrap=False, jump=True)


def _step(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    return _events(rng, num_states, num_frames, rng.uniform(20, 70), wrap=True, jump=False)


def _timer(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    rate, phase = 1 / rng.uniform(6, 20), rng.randrange(num_states)
    return [(phase + int(t * rate)) % num_states for t in range(num_frames)]


def _scroll(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    """A heading that turns at piecewise constant speed, as a player does."""
    states: list[int] = []
    heading, speed, left = rng.uniform(0, num_states), 0.0, 0
    for _ in range(num_frames):
        if left == 0:
            left, speed = rng.randint(8, 40), rng.choice((-0.25, -0.12, 0.0, 0.06, 0.12, 0.25))
        left, heading = left - 1, heading + speed
        states.append(int(heading) % num_states)
    return states


def _clock(rng: random.Random, num_states: int, num_frames: int) -> list[int]:
    """One state a second of 30 frames, from somewhere within a second; it stops at the last state."""
    phase = rng.randrange(30)
    return [min(num_states - 1, (phase + t) // 30) for t in range(num_frames)]


def video_track(rng: random.Random, num_states: int, start: int, stop: int, fps: int, speed: int) -> Track:
    """States of a moving picture with `speed` frames a second of its own, shown `fps` frames a second, in a loop."""
    first = rng.randrange(num_states)
    track: Track = []
    for frame in range(start, stop):
        state = (first + (frame - start) * speed // fps) % num_states
        if not track or track[-1][1] != state:
            track.append([frame, state])
    return track


_RULES: dict[str, Callable[[random.Random, int, int], list[int]]] = {
    "static": _static,
    "wave": _wave,
    "drain": _drain,
    "counter": _counter,
    "timer": _timer,
    "select": _select,
    "scroll": _scroll,
    "step": _step,
    "clock": _clock,
}
