"""Elements made of words: quests, scores, chat, notices, prompts, subtitles and feeds."""

from __future__ import annotations

import random

import numpy as np

from g2w.ui.drawing import translations
from g2w.ui.drawing.icons import icon, icon_names
from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.status import NAMES
from g2w.ui.drawing.style import Theme
from g2w.ui.drawing.widgets import bar, panel, shade

TITLES = {**translations.TITLES, "a": ("QUESTS", "Objectives", "TASKS"), "b": ("MISSION", "Directives")}
QUESTS = {
    **translations.QUESTS,
    "a": (
        "Find the lost caravan",
        "Collect iron ore 3/10",
        "Speak to the miller",
        "Reach the old bridge",
        "Defend the gate",
        "Search the cellar",
        "Return to camp",
        "Light the beacon",
    ),
    "b": (
        "Restore relay power",
        "Escort the probe",
        "Hack terminal C-4",
        "Extract the data core",
        "Hold sector nine",
        "Scan wreckage 2/5",
        "Dock at the spire",
        "Disable turrets",
    ),
}
NOTICES = {
    **translations.NOTICES,
    "a": (
        "LEVEL UP!",
        "Picked up a medikit",
        "Low health",
        "New quest: Embers",
        "Achievement unlocked",
        "Game saved",
        "Area discovered: Old Mill",
        "You found a secret",
        "Inventory full",
        "Press TAB to open the map",
    ),
    "b": (
        "RANK PROMOTION",
        "Shield recharged",
        "WARNING: radiation",
        "Checkpoint reached",
        "Blueprint acquired",
        "Autosaving...",
        "Entering Zone 7",
        "Objective updated",
        "Cargo hold at limit",
        "Hold Y to deploy drone",
    ),
}
PROMPTS = {
    **translations.PROMPTS,
    "a": (("E", "Open door"), ("F", "Pick up"), ("E", "Talk"), ("R", "Reload"), ("SPACE", "Climb"), ("F", "Search")),
    "b": (
        ("X", "Activate"),
        ("Y", "Board vehicle"),
        ("A", "Vault"),
        ("LB", "Inspect"),
        ("X", "Revive ally"),
        ("RT", "Grapple"),
    ),
}
LINES = {
    **translations.LINES,
    "a": (
        "We should not stay here after dark.",
        "Did you hear that? Behind the wall.",
        "The bridge is out, take the east road.",
        "- Cover me!  - I have no shots left.",
        "Captain, the signal fires are lit.",
        "It was never about the gold.",
    ),
    "b": (
        "Telemetry confirms hostile contact.",
        "Nobody comes back from the lower decks.",
        "[engine whines, then silence]",
        "Patch me through to command, now.",
        "You call that a plan?",
        "Seal the hatch behind us.",
    ),
}
CHAT = {
    **translations.CHAT,
    "a": (
        "gg",
        "need healer here",
        "who has the flag?",
        "pushing left side",
        "lol nice shot",
        "wait for me",
        "boss in 2 min",
        "brb",
    ),
    "b": (
        "omw",
        "ping mid pls",
        "reviving now",
        "watch the rear",
        "that was close",
        "selling plasma cells",
        "gl hf",
        "rotate north",
    ),
}


def _plate(theme: Theme, rows: list[tuple[str, float]], pad: float, width: float | None = None) -> Canvas:
    probe = Canvas(1, 1, theme)
    sizes = [probe.text_size(text, size) for text, size in rows]
    return Canvas((width or max(w for w, _ in sizes)) + 2 * pad, sum(h for _, h in sizes) + 2 * pad, theme)


def objective_tracker(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Quest title with two or three lines, some ticked."""
    size = 15 * theme.scale
    lines = rng.sample(QUESTS[theme.words], rng.randint(2, 3))
    titles = TITLES[theme.words]
    title = titles[theme.index % len(titles)]
    rows = [(title, size * 1.25), *((f"MM{line}", size) for line in lines)]  # MM leaves room for the box
    canvas, y = _plate(theme, rows, 10), 10.0
    if theme.index % 3 != 1:
        panel(canvas, (0, 0, canvas.width, canvas.height), alpha=min(170, theme.panel_alpha))
    for k, (text, height) in enumerate(rows):
        canvas.text(
            (10 + (height * 1.3 if k else 0), y), text.removeprefix("MM"), height, theme.accent if k == 0 else None
        )
        if k:
            box = (12.0, y + 3, 12 + height * 0.7, y + 3 + height * 0.7)
            done = rng.random() < 0.3
            canvas.rounded(
                box,
                height * 0.35 if theme.style_set == "a" else 0,
                theme.second if done else None,
                outline=theme.second,
                width=1.5,
            )
        y += height * 1.2
    return [canvas.finish()]


def match_status(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Clock between two team scores, a round counter, or players left; the states tick."""
    u = theme.scale
    minutes, seconds, left, right = rng.randint(0, 14), rng.randint(12, 59), rng.randint(0, 40), rng.randint(0, 40)
    wide = theme.index % 3 != 2
    base = Canvas((270 if wide else 130) * u, 46 * u, theme)
    panel(base, (0, 0, base.width, base.height))
    if wide:
        base.text((44 * u, 23 * u), str(left), 26 * u, theme.accent, anchor="mm")
        base.text((226 * u, 23 * u), str(right), 26 * u, theme.warn, anchor="mm")
    else:
        icon(base, rng.choice(icon_names(theme.style_set)), 24 * u, 23 * u, 24 * u, theme.second)
    states = []
    for k in range(10):
        canvas = base.copy()
        if wide:
            canvas.text((135 * u, 23 * u), f"{minutes}:{seconds - k:02d}", 24 * u, anchor="mm")
        else:
            canvas.text((82 * u, 23 * u), str(left + 60 - k), 26 * u, anchor="mm")
        states.append(canvas.finish())
    return states


def chat_comms(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Translucent chat window whose lines move up from state to state; after the last comes the first again."""
    u, num = theme.scale, rng.randint(4, 6)
    size, width = 13 * u, 320 * u
    talk = [(rng.choice(NAMES[theme.style_set]), rng.choice(CHAT[theme.words])) for _ in range(num + 3)]
    states = []
    for first in range(len(talk)):
        canvas = Canvas(width, num * size * 1.45 + 14, theme)
        if theme.index % 4 != 3:
            panel(canvas, (0, 0, width, canvas.height), alpha=min(120, theme.panel_alpha))
        for k in range(num):
            name, text = talk[(first + k) % len(talk)]
            y = 7 + k * size * 1.45
            canvas.text(
                (10, y), f"{name}:", size, theme.accent if (first + k) % len(talk) % 2 else theme.second, glow=0
            )
            canvas.text((14 + canvas.text_size(f"{name}:", size)[0], y), text, size, glow=0)
        states.append(canvas.finish())
    return states


def screen_notice(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """Pick-up, level-up, warning or tutorial message, with or without plate and icon."""
    size = rng.choice((18, 22, 30)) * theme.scale
    text = rng.choice(NOTICES[theme.words])
    canvas = _plate(theme, [(text, size)], 14 + size * 0.6)
    x = 14.0
    if theme.index % 3 != 2:
        panel(canvas, (0, 0, canvas.width, canvas.height))
        icon(
            canvas, rng.choice(icon_names(theme.style_set)), 12 + size * 0.4, canvas.height / 2, size * 0.9, theme.warn
        )
        x = 20 + size
    color = theme.accent if theme.index % 2 else theme.ink
    canvas.text((x, canvas.height / 2), text, size, color, anchor="lm")
    return [canvas.finish()]


def interaction_prompt(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """A key cap and a verb."""
    key, text = rng.choice(PROMPTS[theme.words])
    size = 19 * theme.scale
    canvas = _plate(theme, [(f"{key}{text}", size)], 12 + size)
    width = canvas.text_size(key, size)[0] + size
    if theme.index % 2:
        panel(canvas, (0, 0, canvas.width, canvas.height))
    y0, y1 = canvas.height / 2 - size * 0.8, canvas.height / 2 + size * 0.8
    if theme.style_set == "a":
        canvas.rounded((8, y0, 8 + width, y1), 5, theme.ink, 235, outline=theme.outline, width=1.5)
    else:
        canvas.polygon([(14, y0), (8 + width, y0), (2 + width, y1), (8, y1)], theme.accent)
    canvas.text((8 + width / 2, canvas.height / 2), key, size, theme.outline, anchor="mm", outline=0, glow=0)
    canvas.text((16 + width, canvas.height / 2), text, size, anchor="lm")
    return [canvas.finish()]


def subtitle(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """One or two centered lines of dialogue, outlined or on a dark strip."""
    size = rng.choice((20, 24, 27)) * theme.scale
    lines = rng.sample(LINES[theme.words], rng.choice((1, 1, 2)))
    canvas = _plate(theme, [(line, size) for line in lines], 10)
    if theme.index % 3 == 0:
        canvas.rounded((0, 0, canvas.width, canvas.height), 0, theme.outline, 150)
    for k, line in enumerate(lines):
        canvas.text((canvas.width / 2, 10 + k * size * 1.2), line, size, anchor="ma", outline=2, glow=0)
    return [canvas.finish()]


def event_feed(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """One entry of a kill feed or loot log."""
    size = 15 * theme.scale
    names = rng.sample(NAMES[theme.style_set], 2)
    loot = theme.index % 3 == 2
    left = f"+{rng.randint(1, 40)}" if loot else names[0]
    probe = Canvas(1, 1, theme)
    first, second = probe.text_size(left, size)[0], probe.text_size(names[1], size)[0]
    canvas = Canvas(first + second + size * 2.4 + 24, size * 1.9, theme)
    panel(canvas, (0, 0, canvas.width, canvas.height), alpha=min(180, theme.panel_alpha))
    middle = canvas.height / 2
    canvas.text((12, middle), left, size, theme.accent, anchor="lm")
    icon(canvas, rng.choice(icon_names(theme.style_set)), 12 + first + size * 1.2, middle, size * 1.2, theme.second)
    canvas.text((12 + first + size * 2.4, middle), names[1], size, theme.warn, anchor="lm")
    return [canvas.finish()]


def other_hud(theme: Theme, rng: random.Random) -> list[np.ndarray]:
    """What fits nowhere else: clock and weather, frame rate, saved currency, wanted level."""
    u, kind = theme.scale, theme.index % 3
    base = Canvas(150 * u, 34 * u, theme)
    if kind != 1:
        panel(base, (0, 0, base.width, base.height), alpha=min(160, theme.panel_alpha))
    name, value = rng.choice(icon_names(theme.style_set)), rng.randint(10, 20)
    states = []
    for k in range(6):
        canvas = base.copy()
        if kind == 1:
            canvas.text((6, 17 * u), f"{54 + (7 * k) % 9} FPS", 17 * u, theme.accent, anchor="lm")
        else:
            icon(canvas, name, 20 * u, 17 * u, 22 * u, theme.warn)
            text = f"{value}:{10 + k}" if kind == 0 else f"{1250 + 25 * k * value}"
            canvas.text((40 * u, 17 * u), text, 17 * u, anchor="lm")
        states.append(canvas.finish())
    return states


def key_overlay(theme: Theme, canvas: Canvas, x: float, y: float, pressed: int, size: float) -> None:
    """Four movement keys, one of them pressed (stream key overlay)."""
    keys = (
        (("W", 1, 0), ("A", 0, 1), ("S", 1, 1), ("D", 2, 1))
        if theme.style_set == "a"
        else (("I", 1, 0), ("J", 0, 1), ("K", 1, 1), ("L", 2, 1))
    )
    for k, (name, column, row) in enumerate(keys):
        x0, y0 = x + column * size, y + row * size
        box = (x0 + 1, y0 + 1, x0 + size - 1, y0 + size - 1)
        color = theme.accent if k == pressed else theme.panel
        canvas.rounded(box, 4 if theme.style_set == "a" else 0, color, 220, outline=theme.second)
        canvas.text((x0 + size / 2, y0 + size / 2), name, size * 0.5, anchor="mm", outline=1, glow=0)


def donation_bar(theme: Theme, canvas: Canvas, value: float, width: float) -> None:
    """Goal bar of a stream."""
    canvas.text((8, 4), f"GOAL {round(500 * value)} / 500", 15, glow=0)
    bar(canvas, (8, 26, width - 8, 42), value, shade(theme.accent, 1.0))
