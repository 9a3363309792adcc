"""Elements that show a level: player, party, target and vehicle status. States go from low to high."""

from __future__ import annotations

import math
import random

import numpy as np

from g2w.ui.drawing.icons import icon, icon_names
from g2w.ui.drawing.pencil import Canvas, regular_polygon
from g2w.ui.drawing.style import Theme
from g2w.ui.drawing.widgets import bar, dial, panel, shade

NUM_LEVELS = 10
NAMES = {
    "a": ("Ayla", "Borin", "Kestrel", "Mira", "Torvald", "Quinn", "Sable", "Drake", "Ivo", "Lumen"),
    "b": ("Juno", "Vex", "Halcyon", "Oma", "Pike", "Rook", "Wren", "Zeph", "Caius", "Nyx"),
}


def levels() -> list[float]:
    """The values 0.05 ... 1 of a strip of level states."""
    return [0.05 + 0.95 * k / (NUM_LEVELS - 1) for k in range(NUM_LEVELS)]


def portrait(canvas: Canvas, cx: float, cy: float, radius: float, rng: random.Random) -> None:
    """A face or crest: head and shoulders in set a, a visor in set b."""
    theme = canvas.theme
    skin = shade(theme.second, rng.uniform(0.6, 1.1))
    dial(canvas, cx, cy, radius, fill=shade(theme.panel, 1.6), alpha=255, rim=theme.accent, rim_width=radius * 0.1)
    if theme.style_set == "a":
        canvas.pie(
            (cx - radius * 0.65, cy + radius * 0.15, cx + radius * 0.65, cy + radius * 1.5), 180, 360, theme.accent
        )
        canvas.ellipse((cx - radius * 0.35, cy - radius * 0.55, cx + radius * 0.35, cy + radius * 0.25), skin)
        canvas.pie(
            (cx - radius * 0.42, cy - radius * 0.68, cx + radius * 0.42, cy + radius * 0.2), 180, 360, theme.outline
        )
        return
    canvas.polygon(regular_polygon(cx, cy, radius * 0.62, 5, -90), skin)
    canvas.polygon(
        [
            (cx - radius * 0.5, cy - radius * 0.2),
            (cx + radius * 0.5, cy - radius * 0.2),
            (cx + radius * 0.3, cy + radius * 0.15),
            (cx - radius * 0.3, cy + radius * 0.15),
        ],
        theme.warn,
    )


def player_status(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Health (and stamina): bars, digits with an icon, portrait with bars, or a dial."""
    layout = ("digits", "bars", "portrait", "dial", "hearts", "digits")[theme.index % 6]
    draw = {"digits": _digits, "bars": _bars, "portrait": _portrait_bars, "dial": _dial, "hearts": _pips}[layout]
    return draw(theme, rng)


def _digits(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    u = theme.scale
    size = 40 * u * rng.uniform(0.8, 1.3)
    with_panel, mark = rng.random() < 0.5, icon_names(theme.style_set)[0]
    base = Canvas(size * 4.2, size * 1.5, theme)
    if with_panel:
        panel(base, (0, 0, base.width, base.height))
    icon(base, mark, size * 0.75, base.height / 2, size * 0.9, theme.accent)
    states = []
    for value in levels():
        canvas = base.copy()
        color = theme.warn if value < 0.3 else theme.accent if theme.index % 2 else theme.ink
        canvas.text(
            (size * 1.5, base.height / 2),
            str(round(100 * value)),
            size,
            color,
            anchor="lm",
            fill_to=shade(color, 0.55),
            outline=max(1, theme.text_outline),
        )
        states.append(canvas.finish())
    return states


def _bars(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    u, num = theme.scale, rng.choice((1, 2, 3))
    width, height, gap = 240 * u * rng.uniform(0.75, 1.3), 18 * u, 8 * u
    base = Canvas(width + 60 * u, num * (height + gap) + 2 * gap, theme)
    panel(base, (0, 0, base.width, base.height))
    colors = (theme.accent, theme.second, theme.warn)
    marks = [rng.choice(icon_names(theme.style_set)) for _ in range(num)]
    shares = [1.0, *(rng.uniform(0.3, 0.9) for _ in range(num - 1))]
    states = []
    for value in levels():
        canvas = base.copy()
        for k in range(num):
            y = gap * 1.5 + k * (height + gap)
            icon(canvas, marks[k], 22 * u, y + height / 2, height * 1.1, colors[k])
            bar(canvas, (40 * u, y, 40 * u + width, y + height), value if k == 0 else shares[k], colors[k])
        if theme.index % 2 == 0:
            canvas.text(
                (40 * u + width / 2, gap * 1.5 + height / 2), f"{round(value * 320)} / 320", height * 0.75, anchor="mm"
            )
        states.append(canvas.finish())
    return states


def _portrait_bars(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    u = theme.scale
    radius, width = 38 * u, 210 * u * rng.uniform(0.8, 1.2)
    base = Canvas(2 * radius + width + 30 * u, 2 * radius + 8 * u, theme)
    panel(base, (radius, 6 * u, base.width, base.height - 6 * u))
    portrait(base, radius + 3, radius + 4 * u, radius, rng)
    x = 2 * radius + 12 * u
    base.text((x, 12 * u), f"{rng.choice(NAMES[theme.style_set])}  {rng.randint(2, 60)}", 15 * u)
    mana = rng.uniform(0.3, 1)
    states = []
    for value in levels():
        canvas = base.copy()
        bar(canvas, (x, 36 * u, x + width, 50 * u), value, theme.accent)
        bar(canvas, (x, 56 * u, x + width * 0.85, 65 * u), mana, theme.second)
        states.append(canvas.finish())
    return states


def _dial(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    radius = 52 * theme.scale
    base = Canvas(2 * radius + 8, 2 * radius + 8, theme)
    cx = cy = radius + 4
    dial(base, cx, cy, radius - 8, fill=theme.panel, alpha=theme.panel_alpha, rim=theme.outline)
    icon(base, rng.choice(icon_names(theme.style_set)), cx, cy - radius * 0.35, radius * 0.4, theme.second)
    states = []
    for value in levels():
        canvas = base.copy()
        box = (cx - radius, cy - radius, cx + radius, cy + radius)
        canvas.arc(box, 130, 410, theme.outline, 9, 200)
        canvas.arc(box, 130, 130 + 280 * value, theme.accent, 7)
        canvas.text((cx, cy + radius * 0.2), str(round(value * 100)), radius * 0.5, anchor="mm")
        states.append(canvas.finish())
    return states


def _pips(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    num, size = rng.randint(5, 10), 28 * theme.scale
    name = rng.choice(icon_names(theme.style_set))
    states = []
    for value in levels():
        canvas = Canvas(num * size * 1.1 + 6, size * 1.2, theme)
        for k in range(num):
            lit = (k + 0.5) / num <= value
            color = theme.accent if lit else shade(theme.outline, 1.0)
            icon(canvas, name, 3 + (k + 0.5) * size * 1.1, size * 0.6, size, color)
        states.append(canvas.finish())
    return states


def team_status(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Two to four stacked party frames, each with a face, a name and a bar."""
    u, num = theme.scale, rng.randint(2, 4)
    row, width = 46 * u, 190 * u
    base = Canvas(width, num * row, theme)
    shift = [rng.random() for _ in range(num)]
    names = rng.sample(NAMES[theme.style_set], num)
    for k in range(num):
        panel(base, (0, k * row + 2, width, (k + 1) * row - 2))
        portrait(base, 22 * u, (k + 0.5) * row, 16 * u, rng)
        base.text((48 * u, k * row + 8 * u), names[k], 13 * u)
    states = []
    for value in levels():
        canvas = base.copy()
        for k in range(num):
            level = 0.15 + 0.85 * abs(math.sin(math.pi * (0.5 * value + shift[k])))
            y = k * row + 27 * u
            bar(canvas, (48 * u, y, width - 12 * u, y + 9 * u), level, theme.accent if level > 0.35 else theme.warn)
        states.append(canvas.finish())
    return states


def target_status(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Boss bar across the top or a small enemy nameplate."""
    u, boss = theme.scale, theme.index % 3 != 2
    width = (460 if boss else 150) * u * rng.uniform(0.85, 1.2)
    size = (20 if boss else 13) * u
    titles = {
        "a": ("Warden of Ash", "The Hollow King", "Grave Tyrant", "Iron Matron"),
        "b": ("Null Sentinel", "Oracle Prime", "Vault Leviathan", "Echo Stalker"),
    }
    base = Canvas(width + 16, size * 3.1, theme)
    if boss and theme.index % 2:
        panel(base, (0, 0, base.width, base.height))
    base.text((base.width / 2, 4 * u), rng.choice(titles[theme.style_set]), size, anchor="ma")
    states = []
    for value in levels():
        canvas = base.copy()
        bar(canvas, (10, size * 1.8, 6 + width, size * 1.8 + (16 if boss else 9) * u), value, theme.warn)
        states.append(canvas.finish())
    return states


def vehicle_status(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Speedometer: needle on a dial, or large digits with a bar."""
    u = theme.scale
    top = rng.choice((180, 240, 320))
    states = []
    if theme.index % 2 == 0:
        radius = 78 * u
        base = Canvas(2 * radius + 6, 2 * radius + 6, theme)
        c = radius + 3
        dial(base, c, c, radius - 1, fill=theme.panel, alpha=theme.panel_alpha, rim=theme.second)
        for k in range(9):
            angle = math.radians(150 + 30 * k)
            base.line(
                [(c + radius * f * math.cos(angle), c + radius * f * math.sin(angle)) for f in (0.74, 0.86)],
                theme.warn if k > 6 else theme.ink,
                2.5,
            )
        for value in levels():
            canvas, angle = base.copy(), math.radians(150 + 240 * value)
            canvas.line(
                [(c, c), (c + radius * 0.72 * math.cos(angle), c + radius * 0.72 * math.sin(angle))], theme.accent, 4
            )
            canvas.text((c, c + radius * 0.45), str(round(top * value)), radius * 0.34, anchor="mm")
            states.append(canvas.finish())
        return states
    base = Canvas(210 * u, 92 * u, theme)
    panel(base, (0, 0, base.width, base.height))
    base.text((196 * u, 40 * u), rng.choice(("km/h", "mph")), 15 * u, anchor="ra")
    for value in levels():
        canvas = base.copy()
        canvas.text((16 * u, 8 * u), str(round(top * value)), 48 * u, theme.accent)
        bar(canvas, (16 * u, 70 * u, 194 * u, 80 * u), value, theme.second)
        states.append(canvas.finish())
    return states
