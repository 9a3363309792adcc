"""Where am I: minimaps, compass tapes, reticles and damage feedback."""

from __future__ import annotations

import math
import random

import numpy as np

from g2w.ui.drawing.icons import blip
from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.style import Theme
from g2w.ui.drawing.widgets import dial, panel, shade

NUM_SCROLL = 16


def map_radar(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Minimap that turns (round or angular) or scrolls (square), with the player in the middle."""
    radius = 80 * theme.scale * rng.uniform(0.8, 1.15)
    square, c = theme.index % 3 == 1, radius + 4
    rooms = [(rng.uniform(-0.9, 0.9), rng.uniform(-0.9, 0.9), rng.uniform(0.15, 0.4)) for _ in range(9)]
    marks = [(rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8), rng.random() < 0.6) for _ in range(6)]
    states = []
    for k in range(NUM_SCROLL):
        canvas = Canvas(2 * radius + 8, 2 * radius + 8, theme)
        if square:
            canvas.rounded((4, 4, 4 + 2 * radius, 4 + 2 * radius), 0, theme.panel, theme.panel_alpha)
        else:
            dial(canvas, c, c, radius, fill=theme.panel, alpha=theme.panel_alpha, rim=theme.outline)
        turn = math.tau * k / NUM_SCROLL
        _terrain(canvas, theme, rooms, marks, c, radius, turn, square)
        _frame(canvas, theme, c, radius, turn, square)
        states.append(canvas.finish())
    return states


def _terrain(
    canvas: Canvas,
    theme: Theme,
    rooms: list[tuple[float, float, float]],
    marks: list[tuple[float, float, bool]],
    c: float,
    radius: float,
    turn: float,
    square: bool,
) -> None:
    def place(x: float, y: float) -> tuple[float, float]:
        if square:  # scrolls and wraps
            return c + radius * ((x + turn / math.pi + 1) % 2 - 1), c + radius * y
        return c + radius * (x * math.cos(turn) - y * math.sin(turn)), c + radius * (
            x * math.sin(turn) + y * math.cos(turn)
        )

    limit = radius * (0.97 if square else 0.82)
    for x, y, size in rooms:
        corners = [place(x + sx * size, y + sy * size) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        inside = all(
            (abs(px - c) < limit and abs(py - c) < limit) if square else math.hypot(px - c, py - c) < limit
            for px, py in corners
        )
        if inside and max(p[0] for p in corners) - min(p[0] for p in corners) < radius:
            canvas.polygon(corners, shade(theme.second, 0.55), 190)
            canvas.line([*corners, corners[0]], theme.second, 1.2)
    for x, y, hostile in marks:
        px, py = place(x, y)
        if math.hypot(px - c, py - c) < radius * 0.85:
            blip(canvas, px, py, 3.5, theme.warn if hostile else theme.accent)
    canvas.polygon([(c, c - 9), (c + 6, c + 6), (c, c + 3), (c - 6, c + 6)], theme.ink)


def _frame(canvas: Canvas, theme: Theme, c: float, radius: float, turn: float, square: bool) -> None:
    if square:
        canvas.rounded((4, 4, 4 + 2 * radius, 4 + 2 * radius), 0, None, outline=theme.accent, width=3)
    else:
        dial(canvas, c, c, radius, fill=theme.panel, alpha=0, rim=theme.accent, rim_width=4)
    if theme.index % 2 == 0:
        north = (c, 18.0) if square else (c + radius * 0.78 * math.sin(-turn), c - radius * 0.78 * math.cos(-turn))
        canvas.text(north, "N", 14 * theme.scale, anchor="mm", outline=1)


def navigation_compass(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Heading tape: ticks every 15 degrees and letters that scroll under a fixed pointer."""
    u = theme.scale
    width, height = 420 * u * rng.uniform(0.75, 1.2), 38 * u
    names = {0: "N", 45: "NE", 90: "E", 135: "SE", 180: "S", 225: "SW", 270: "W", 315: "NW"}
    states = []
    for k in range(2 * NUM_SCROLL):
        canvas = Canvas(width, height, theme)
        if theme.index % 3 != 2:
            panel(canvas, (0, 0, width, height), alpha=min(150, theme.panel_alpha))
        heading = 360.0 * k / (2 * NUM_SCROLL)
        for degrees in range(0, 360, 15):
            offset = (degrees - heading + 180) % 360 - 180
            x = width / 2 + offset / 70 * width / 2
            if not 14 < x < width - 14:
                continue
            if degrees in names:
                canvas.text(
                    (x, height * 0.55),
                    names[degrees],
                    15 * u,
                    theme.accent if degrees == 0 else None,
                    anchor="mm",
                    outline=1,
                )
            else:
                canvas.line([(x, height * 0.35), (x, height * 0.7)], theme.ink, 1.5, 220)
        canvas.polygon([(width / 2 - 6, 1), (width / 2 + 6, 1), (width / 2, 9)], theme.warn)
        states.append(canvas.finish())
    return states


def crosshair(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Thin reticle: cross, dot, ring or chevron (set a); corners, square, split cross (set b)."""
    size = rng.randint(18, 44)
    canvas, c = Canvas(size * 2, size * 2, theme), float(size)
    r, gap, thick = size * 0.8, size * rng.uniform(0.15, 0.4), rng.choice((1.0, 1.5, 2.0, 3.0))
    color = rng.choice((theme.ink, theme.accent, theme.second, theme.warn))
    strokes = _reticle(theme, c, r, gap)
    if theme.text_outline:
        for points in strokes:
            canvas.line(points, theme.outline, thick + 1.5, 200)
    for points in strokes:
        canvas.line(points, color, thick, rng.choice((190, 255)))
    if theme.style_set == "a" and theme.index % 4 in (1, 2):
        canvas.ellipse((c - r, c - r, c + r, c + r), None, outline=color, width=thick)
    if theme.index % 3 != 1 or not strokes:
        blip(canvas, c, c, 1.2 + thick / 2, color)
    return [canvas.finish()]


def _reticle(theme: Theme, c: float, r: float, gap: float) -> list[list[tuple[float, float]]]:
    cross = [[(c + dx * gap, c + dy * gap), (c + dx * r, c + dy * r)] for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    if theme.style_set == "a":
        chevron = [[(c - r * 0.6, c + r * 0.6), (c, c), (c + r * 0.6, c + r * 0.6)]]
        return (cross, cross, [], chevron, cross[:3])[theme.index % 5]
    k = r * 0.5
    corners = [
        [(c + sx * r, c + sy * (r - k)), (c + sx * r, c + sy * r), (c + sx * (r - k), c + sy * r)]
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    diagonal = [
        [(c + sx * gap, c + sy * gap), (c + sx * r * 0.8, c + sy * r * 0.8)] for sx in (-1, 1) for sy in (-1, 1)
    ]
    return (corners, diagonal, corners + cross[:2], diagonal[:2] + cross[2:])[theme.index % 4]


def damage_feedback(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Hit marker, damage number, or the arc that points at the attacker."""
    kind = theme.index % 3
    if kind == 0:
        size = rng.randint(20, 34)
        canvas, c = Canvas(size * 2, size * 2, theme), float(size)
        for sx, sy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            canvas.line(
                [(c + sx * size * 0.35, c + sy * size * 0.35), (c + sx * size * 0.8, c + sy * size * 0.8)],
                theme.warn,
                3,
            )
    elif kind == 1:
        text, height_px = str(rng.randint(8, 2400)), rng.randint(22, 42) * theme.scale
        width, height = Canvas(1, 1, theme).text_size(text, height_px)
        canvas = Canvas(width + 16, height + 14, theme)
        canvas.text((8, 6), text, height_px, theme.warn, outline=2, fill_to=shade(theme.accent, 0.9))
    else:
        radius, middle = rng.randint(110, 170), rng.choice((0, 45, 90, 135, 180, 225, 270, 315))
        canvas = Canvas(2 * radius + 8, 2 * radius + 8, theme)
        box = (4.0, 4.0, 4.0 + 2 * radius, 4.0 + 2 * radius)
        for spread, alpha in ((34, 110), (24, 190), (14, 255)):
            canvas.arc(box, middle - spread, middle + spread, theme.warn, 16 if theme.style_set == "a" else 9, alpha)
    return [canvas.finish()]
