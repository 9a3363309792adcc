"""Things one carries and can do: ammunition, abilities with radial timers, hotbars."""

from __future__ import annotations

import random

import numpy as np

from g2w.ui.drawing.icons import icon, icon_names
from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.style import Theme
from g2w.ui.drawing.widgets import bar, dial, panel, shade, wedge

NUM_COUNTS = 10
NUM_TIMER = 8


def weapon_ammo(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Rounds in the magazine and in reserve, with an icon; the states count down by one."""
    u = theme.scale
    size, reserve, first = 40 * u * rng.uniform(0.8, 1.2), rng.randint(20, 400), rng.randint(14, 99)
    layout = theme.index % 3
    base = Canvas(size * (4.6 if layout != 1 else 3.4), size * 1.7, theme)
    if theme.index % 4 != 3:
        panel(base, (0, 0, base.width, base.height))
    name = rng.choice(icon_names(theme.style_set))
    icon(base, name, base.width - size * 0.75, base.height / 2, size * 0.85, theme.second)
    if layout == 0:
        base.text((size * 2.0, base.height * 0.52), f"/ {reserve}", size * 0.5, anchor="lm")
    states = []
    for k in range(NUM_COUNTS):
        canvas, rounds = base.copy(), first - k
        color = theme.accent if theme.index % 2 else theme.ink
        canvas.text((size * 0.4, base.height / 2), f"{rounds:02d}", size, color, anchor="lm", fill_to=shade(color, 0.7))
        if layout == 2:
            bar(
                canvas,
                (size * 1.9, base.height * 0.6, base.width - size * 1.4, base.height * 0.75),
                1 - k / NUM_COUNTS,
                theme.accent,
            )
        states.append(canvas.finish())
    return states


def ability_status(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """A row of skill slots with cooldown wedges, or small buffs with seconds left."""
    u, num = theme.scale, rng.randint(3, 5)
    radius, step = 26 * u * rng.uniform(0.8, 1.25), 0.0
    step = radius * 2.3
    base = Canvas(num * step + 6, radius * 2 + 26 * u, theme)
    names = rng.sample(icon_names(theme.style_set), num)
    lag = [rng.random() for _ in range(num)]
    keys = (
        ("1234567" if theme.index % 2 else "QERFCXZ")
        if theme.style_set == "a"
        else ("ABXYLR" if theme.index % 2 else "56789")
    )
    colors = (theme.accent, theme.second, theme.warn)
    for k in range(num):
        cx = (k + 0.5) * step + 3
        dial(
            base,
            cx,
            radius + 3,
            radius,
            fill=shade(theme.panel, 1.4),
            alpha=max(170, theme.panel_alpha),
            rim=theme.outline,
        )
        icon(base, names[k], cx, radius + 3, radius * 1.1, colors[k % 3])
        base.text((cx, 2 * radius + 14 * u), keys[k % len(keys)], 13 * u, anchor="mm")
    states = []
    for state in range(NUM_TIMER):
        canvas = base.copy()
        for k in range(num):
            left = (1 - state / NUM_TIMER + lag[k]) % 1.6 - 0.6  # negative: ready
            cx = (k + 0.5) * step + 3
            wedge(canvas, cx, radius + 3, radius * 0.97, left, theme.outline)
            if left > 0.1:
                canvas.text((cx, radius + 3), str(round(left * 9) + 1), radius * 0.8, anchor="mm", outline=1)
            dial(
                canvas,
                cx,
                radius + 3,
                radius,
                fill=theme.panel,
                alpha=0,
                rim=theme.accent if left <= 0 else theme.outline,
                rim_width=2.5,
            )
        states.append(canvas.finish())
    return states


def inventory(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Hotbar: a background bar with icons in its slots; the states move the selection."""
    num, cell = _hotbar_size(theme, rng)
    base = _slots(theme, num, cell)
    names = icon_names(theme.style_set)
    for k in range(num):
        x = 6 + k * cell
        if rng.random() < 0.8:
            color = rng.choice((theme.accent, theme.second, theme.warn))
            icon(base, rng.choice(names), x + cell / 2, 6 + cell / 2, cell * 0.6, color)
            if rng.random() < 0.5:
                size = 12 * theme.scale
                base.text((x + cell - 5, cell + 2), str(rng.randint(2, 64)), size, anchor="rs", outline=1, glow=0)
    return _selections(theme, base, num, cell)


def hotbar(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """The background bar alone, one state for each selected slot; icons are laid into its slots by the recipe."""
    num, cell = _hotbar_size(theme, rng)
    return _selections(theme, _slots(theme, num, cell), num, cell)


def hotbar_icon(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """One loose item for a slot, some with a number."""
    side = 48
    canvas, color = Canvas(side, side, theme), rng.choice((theme.accent, theme.second, theme.warn))
    icon(canvas, rng.choice(icon_names(theme.style_set)), side / 2, side / 2, side * 0.92, color)
    if rng.random() < 0.4:
        canvas.text((side - 2, side - 2), str(rng.randint(2, 64)), 17, anchor="rs", outline=1, glow=0)
    return [canvas.finish()]


def _hotbar_size(theme: Theme, rng: random.Random) -> tuple[int, float]:
    num = rng.randint(5, 9)
    return num, 46 * theme.scale * rng.uniform(0.85, 1.15)


def _slots(theme: Theme, num: int, cell: float) -> Canvas:
    base = Canvas(num * cell + 12, cell + 12, theme)
    panel(base, (0, 0, base.width, base.height))
    corner, fill, rim = 4 if theme.style_set == "a" else 0, shade(theme.panel, 0.5), shade(theme.second, 0.6)
    for k in range(num):
        x = 6 + k * cell
        base.rounded((x + 2, 8, x + cell - 2, 4 + cell), corner, fill, 200, outline=rim, width=1)
    return base


def _selections(theme: Theme, base: Canvas, num: int, cell: float) -> list[np.ndarray]:
    states = []
    for k in range(num):
        canvas, x = base.copy(), 6 + k * cell
        box = (x, 6.0, x + cell, 6 + cell)
        canvas.rounded(box, 4 if theme.style_set == "a" else 0, None, outline=theme.warn, width=3)
        states.append(canvas.finish())
    return states
