"""Instruments that follow the player: minimap, compass, hotbar, one picture per heading or selection; and reticles."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image, ImageDraw

from g2w.footage.art import THEMES, blank, set_of, write
from g2w.footage.icons import icon, icon_names

HEADINGS = 72
"""Pictures of a compass; a heading step is 5 degrees."""


def radar_frame(style: str, size: int) -> Image.Image:
    """Ground of a minimap: set a round, set b square with a grid."""
    theme, image, end = THEMES[style], blank(size, size), size - 1
    draw = ImageDraw.Draw(image)
    if set_of(style) == "a":
        draw.ellipse((0, 0, end, end), fill=theme.panel, outline=theme.line, width=4 if style in ("a1", "a4") else 2)
        for radius in (size // 6, size // 3) if style in ("a1", "a2") else (size // 4,):
            draw.ellipse((radius, radius, end - radius, end - radius), outline=theme.line, width=1)
    else:
        draw.rectangle((0, 0, end, end), fill=theme.panel, outline=theme.line, width=3 if style == "b1" else 1)
        for offset in range(size // 5, end - 4, size // 5):
            draw.line((offset, 3, offset, end - 3), fill=theme.bad, width=1)
            draw.line((3, offset, end - 3, offset), fill=theme.bad, width=1)
    return image


def radar_face(style: str, size: int, degrees: float) -> Image.Image:
    """What turns inside the minimap: walls and contacts around the player's own mark, as seen at a heading."""
    theme, image, middle = THEMES[style], blank(size, size), size / 2
    draw, turn = ImageDraw.Draw(image), -math.radians(degrees)
    rng = np.random.default_rng(sum(style.encode()))
    reach = size * (0.34 if set_of(style) == "a" else 0.3)

    def place(x: float, y: float) -> tuple[float, float]:
        across, along = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
        return middle + reach * across, middle + reach * along

    corners = rng.uniform(-0.95, 0.95, (5, 2))
    for (x, y), (dx, dy) in zip(corners, rng.uniform(-0.8, 0.8, (5, 2)), strict=True):
        draw.line([place(x, y), place((x + dx) / 2, y), place((x + dx) / 2, (y + dy) / 2)], fill=theme.line, width=2)
    for x, y in rng.uniform(-0.8, 0.8, (4, 2)):
        px, py = place(x, y)
        box = (px - 4, py - 4, px + 4, py + 4)
        if set_of(style) == "a":
            draw.ellipse(box, fill=theme.good)
        else:
            draw.rectangle(box, fill=theme.extra)
    mark = [(0, -9), (6, 8), (0, 4), (-6, 8)] if set_of(style) == "a" else [(0, -8), (7, 7), (-7, 7)]
    draw.polygon([(middle + x, middle + y) for x, y in mark], fill=theme.text)
    return image


def compass_tape(style: str, width: int, degrees: float, height: int = 34) -> Image.Image:
    """The part of a heading tape around a heading; the middle of the picture is straight ahead."""
    theme, image, scale = THEMES[style], blank(width, height), width / 150
    draw = ImageDraw.Draw(image)
    draw.line((0, height - 3, width, height - 3), fill=theme.line, width=3 if set_of(style) == "a" else 1)
    for mark in range(0, 360, 15):
        x = width / 2 + ((mark - degrees + 180) % 360 - 180) * scale
        if not 8 <= x <= width - 8:
            continue
        top = height - (15 if mark % 45 else 20)
        draw.line((x, top, x, height - 4), fill=theme.line, width=2 if set_of(style) == "a" else 1)
        if mark % 45 == 0:
            name = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")[mark // 45]
            write(image, (x - 5 * len(name), -1), name, style, 15)
    middle = width // 2
    draw.polygon([(middle - 6, height - 1), (middle + 6, height - 1), (middle, height - 9)], fill=theme.good)
    return image


def crosshair(style: str, size: int = 40) -> Image.Image:
    """A reticle: set a circles, set b strokes."""
    theme, image, end = THEMES[style], blank(size, size), size - 1
    draw, c = ImageDraw.Draw(image), size // 2
    if style in ("a1", "a3"):
        edge = 5 if style == "a1" else 10
        draw.ellipse((edge, edge, end - edge, end - edge), outline=theme.text, width=2)
        draw.ellipse((c - 2, c - 2, c + 1, c + 1), fill=theme.good)
    elif set_of(style) == "a":
        draw.arc((4, 4, end - 4, end - 4), 200, 340, fill=theme.text, width=3)
        draw.ellipse((c - 3, c - 3, c + 2, c + 2), fill=theme.text)
    elif style == "b3":
        for x in (-1, 1):
            draw.line([(c + x * 15, c - 10), (c + x * 5, c), (c + x * 15, c + 10)], fill=theme.line, width=2)
    else:
        near, far = c - 6, c + 6
        for box in ((c - 1, 1, c, near), (c - 1, far, c, end - 1), (1, c - 1, near, c), (far, c - 1, end - 1, c)):
            draw.rectangle(box, fill=theme.text)
    return image


def slots(style: str, count: int, size: int, selected: int) -> Image.Image:
    """A hotbar with one selected slot: set a round slots, set b square ones, each with an icon."""
    theme, image = THEMES[style], blank(count * (size + 6) - 6, size)
    draw, names = ImageDraw.Draw(image), [n for n in icon_names(style) if n not in ("face", "gun")]
    for index in range(count):
        x, chosen = index * (size + 6), index == selected
        box = (x, 0, x + size - 1, size - 1)
        edge, width = (theme.text, 4) if chosen else (theme.line, 2)
        if set_of(style) == "a":
            radius = size // 2 if style == "a2" else 10
            draw.rounded_rectangle(box, radius=radius, fill=theme.panel, outline=edge, width=width)
        else:
            draw.rectangle(box, fill=theme.panel, outline=edge, width=width)
        inner = int(size * 0.5)
        drawn = icon(style, names[index % len(names)], inner, color=theme.good if chosen else theme.extra)
        image.alpha_composite(drawn, (x + (size - inner) // 2, (size - inner) // 2))
    return image
