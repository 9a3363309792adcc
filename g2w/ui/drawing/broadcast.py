"""Moving pictures of a broadcast: a second scene in a window, and the bars of the music that is played."""

from __future__ import annotations

import math
import random

import numpy as np

from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.style import Theme
from g2w.ui.drawing.widgets import shade

NUM_FRAMES = 12
_NUM_BARS = 14


def scenery(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """A window with a scene of its own: hills that pass at two speeds under a moving sun; it loops."""
    width, height = 230 * theme.scale, 130 * theme.scale
    sky, near, far = shade(theme.second, rng.uniform(0.7, 1.2)), shade(theme.accent, 0.45), shade(theme.accent, 0.75)
    waves, states = [(rng.uniform(0.1, 0.3), rng.randint(1, 3)) for _ in range(2)], []
    for k in range(NUM_FRAMES):
        canvas, turn = Canvas(width, height, theme), math.tau * k / NUM_FRAMES
        canvas.rounded((0, 0, width, height), 0, sky, fill_to=shade(sky, 1.5))
        sun = width * (0.3 + 0.15 * math.cos(turn)), height * (0.28 + 0.08 * math.sin(turn))
        canvas.ellipse((sun[0] - 14, sun[1] - 14, sun[0] + 14, sun[1] + 14), theme.warn)
        for (high, count), level, color, speed in zip(waves, (0.5, 0.72), (far, near), (1, 2), strict=True):
            ridge = [
                (x * width / 24, height * (level - high * 0.5 * math.sin(math.tau * count * x / 24 + speed * turn)))
                for x in range(25)
            ]
            canvas.polygon([*ridge, (width, height), (0, height)], color)
        canvas.rounded((0, 0, width, height), 0, None, outline=theme.panel, width=3)
        states.append(canvas.finish())
    return states


def visualizer(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Bars that jump with the music, over nothing."""
    width, height, states = 210 * theme.scale, 70 * theme.scale, []
    phases = [(rng.uniform(0, math.tau), rng.randint(1, 3), rng.uniform(0.3, 0.9)) for _ in range(_NUM_BARS)]
    step = width / _NUM_BARS
    for k in range(NUM_FRAMES):
        canvas = Canvas(width, height, theme)
        for b, (phase, speed, size) in enumerate(phases):
            level = 0.1 + size * abs(math.sin(phase + math.pi * speed * k / NUM_FRAMES))
            box = (b * step + 1, height * (1 - level), (b + 1) * step - 2, height)
            canvas.rounded(box, 0, theme.accent, 225, fill_to=theme.second)
        states.append(canvas.finish())
    return states
