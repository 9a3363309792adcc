"""Marks that broadcasting adds: watermarks, face cameras, key overlays, goal bars, alerts."""

from __future__ import annotations

import math
import random

import numpy as np

from g2w.ui.drawing.broadcast import scenery, visualizer
from g2w.ui.drawing.icons import icon, icon_names
from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.style import Theme
from g2w.ui.drawing.widgets import panel, shade
from g2w.ui.drawing.words import donation_bar, key_overlay

MARKS = {
    "a": ("PLAYCAST", "gamehub.example", "@kestrel_live", "RECORDED WITH VIDCAP", "Trial version", "LIVE"),
    "b": ("NORTHSTREAM", "clip.example/vex", "#halcyon", "Screen Grabber 3", "UNREGISTERED", "REC"),
}


def watermark(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Faint static logo or channel name."""
    text, size = rng.choice(MARKS[theme.style_set]), rng.choice((14, 20, 28)) * theme.scale
    width, height = Canvas(1, 1, theme).text_size(text, size)
    with_icon = rng.random() < 0.6
    canvas = Canvas(width + 12 + (size * 1.4 if with_icon else 0), height + 8, theme)
    if with_icon:
        icon(canvas, rng.choice(icon_names(theme.style_set)), 6 + size * 0.5, canvas.height / 2, size, theme.ink)
    canvas.text((6 + (size * 1.4 if with_icon else 0), canvas.height / 2), text, size, anchor="lm", glow=0)
    pixels = canvas.finish()
    pixels[..., 3] = (pixels[..., 3].astype(np.uint16) * rng.choice((90, 130, 170)) // 255).astype(np.uint8)
    return [pixels]


def stream_overlay(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Face camera with a moving person, key overlay, goal bar, second scene, alert, music."""
    kinds = (_facecam, _keys, _goal, scenery, _alert, visualizer, _facecam)
    return kinds[theme.index % len(kinds)](theme, rng)


def _facecam(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    width, height = 240 * theme.scale, 150 * theme.scale
    wall = shade(theme.panel, rng.uniform(1.2, 2.4))
    skin = (
        rng.choice(((224, 172, 138), (150, 104, 74), (92, 62, 46)))
        if theme.style_set == "a"
        else rng.choice(((236, 190, 158), (176, 126, 92), (110, 78, 60)))
    )
    grain = random.Random(rng.random())
    noise = np.asarray([grain.gauss(0, 4) for _ in range(997)])  # prime length: no visible period
    states = []
    for k in range(8):
        canvas = Canvas(width, height, theme)
        sway = 8 * math.sin(math.tau * k / 8)
        canvas.rounded((0, 0, width, height), 0, wall, fill_to=shade(wall, 0.5))
        canvas.rounded((width * 0.08, height * 0.12, width * 0.3, height * 0.55), 0, shade(theme.second, 0.5))
        c = width / 2 + sway
        canvas.pie((c - width * 0.24, height * 0.62, c + width * 0.24, height * 1.6), 180, 360, theme.accent)
        canvas.ellipse((c - height * 0.19, height * 0.2, c + height * 0.19, height * 0.72), skin)
        canvas.pie((c - height * 0.22, height * 0.12, c + height * 0.22, height * 0.6), 180, 360, theme.outline)
        mouth = 2 + 4 * abs(math.sin(math.tau * k / 4))
        canvas.ellipse((c - 9, height * 0.58, c + 9, height * 0.58 + mouth), theme.outline)
        canvas.rounded((0, 0, width, height), 0, None, outline=theme.accent, width=3)
        pixels = canvas.finish()
        rows = np.resize(np.roll(noise, 101 * k), pixels.shape[:2])[..., None]
        pixels[..., :3] = np.clip(pixels[..., :3] + rows, 0, 255).astype(np.uint8)
        pixels[pixels[..., 3] == 0] = 0
        states.append(pixels)
    return states


def _keys(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    size, states = 38 * theme.scale, []
    order = rng.sample(range(4), 4)
    for pressed in order:
        canvas = Canvas(3 * size, 2 * size, theme)
        key_overlay(theme, canvas, 0, 0, pressed, size)
        states.append(canvas.finish())
    return states


def _goal(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    width, start, states = 280 * theme.scale, rng.uniform(0.1, 0.7), []
    for k in range(6):
        canvas = Canvas(width, 52, theme)
        panel(canvas, (0, 0, width, 52))
        donation_bar(theme, canvas, start + 0.05 * k, width)
        states.append(canvas.finish())
    return states


def _alert(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    size = 20 * theme.scale
    text = f"{rng.choice(MARKS[theme.style_set])} just followed!"
    width, _ = Canvas(1, 1, theme).text_size(text, size)
    states = []
    for k in range(4):
        canvas = Canvas(width + 40, size * 3.4, theme)
        panel(canvas, (0, 0, canvas.width, canvas.height))
        icon(canvas, icon_names(theme.style_set)[k % 3], canvas.width / 2, size * 0.9, size * 1.2, theme.warn)
        canvas.text((canvas.width / 2, size * 2.4), text, size, theme.accent, anchor="mm")
        states.append(canvas.finish())
    return states
