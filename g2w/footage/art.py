"""Drawings of the in-engine interfaces. Hard edges only: the engine's picture is palettized, translucency is its own.

Set a is round-cornered, warm and filled; set b is angular, cold and outlined. No drawing is shared between the sets.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass

from PIL import Image, ImageDraw

from g2w.footage.fonts import StyleSet, load_font

Color = tuple[int, int, int, int]
CLEAR: Color = (0, 0, 0, 0)


@dataclass(frozen=True)
class Palette:
    """Colors of one style, RGBA."""

    panel: Color
    line: Color
    text: Color
    good: Color
    bad: Color


PALETTES: dict[str, Palette] = {
    "a1": Palette((70, 36, 20, 255), (231, 173, 82, 255), (255, 240, 208, 255), (214, 60, 44, 255), (60, 24, 20, 255)),
    "a2": Palette((40, 52, 36, 255), (180, 200, 120, 255), (240, 248, 220, 255), (120, 188, 60, 255), (36, 44, 28, 255)),
    "a3": Palette((60, 40, 64, 255), (220, 150, 200, 255), (255, 226, 246, 255), (226, 96, 150, 255), (48, 28, 44, 255)),
    "a4": Palette((58, 52, 40, 255), (240, 214, 130, 255), (255, 250, 226, 255), (244, 150, 40, 255), (60, 48, 28, 255)),
    "b1": Palette((16, 36, 56, 255), (96, 208, 255, 255), (224, 246, 255, 255), (40, 180, 240, 255), (16, 40, 64, 255)),
    "b2": Palette((20, 20, 24, 255), (236, 236, 236, 255), (255, 255, 255, 255), (200, 200, 208, 255), (52, 52, 60, 255)),
    "b3": Palette((14, 46, 44, 255), (90, 255, 214, 255), (214, 255, 244, 255), (50, 220, 180, 255), (14, 56, 52, 255)),
}


def set_of(style: str) -> StyleSet:
    """Style set of a style name."""
    return "a" if style.startswith("a") else "b"


def png(image: Image.Image) -> bytes:
    """PNG bytes, the same for the same picture."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def panel(style: str, width: int, height: int) -> Image.Image:
    """Background of a group of elements."""
    colors, image = PALETTES[style], Image.new("RGBA", (width, height), CLEAR)
    draw, box = ImageDraw.Draw(image), (0, 0, width - 1, height - 1)
    if set_of(style) == "a":
        draw.rounded_rectangle(box, radius=min(14, height // 3), fill=colors.panel, outline=colors.line, width=3)
    else:
        cut = min(16, height // 3)
        corners = [(cut, 0), (width - 1, 0), (width - 1, height - 1 - cut), (width - 1 - cut, height - 1), (0, height - 1), (0, cut)]
        draw.polygon(corners, fill=colors.panel, outline=colors.line, width=2)
    return image


def bar(style: str, width: int, height: int, *, full: bool) -> Image.Image:
    """A value bar, full or empty; the engine shows the full one up to the value."""
    colors, image = PALETTES[style], Image.new("RGBA", (width, height), CLEAR)
    draw, color = ImageDraw.Draw(image), (colors.good if full else colors.bad)
    if set_of(style) == "a":
        draw.rounded_rectangle((0, 0, width - 1, height - 1), radius=height // 2, fill=color)
    else:
        step = max(6, width // 14)
        for x in range(0, width - step + 2, step):
            draw.rectangle((x, 0, min(width - 1, x + step - 3), height - 1), fill=color)
    return image


def digit(style: str, text: str, size: int) -> Image.Image:
    """One glyph of the number font, with a dark outline."""
    font = load_font(set_of(style), size)
    left, _, right, _ = font.getbbox(text, stroke_width=1)
    ascent, descent = font.getmetrics()
    image = Image.new("RGBA", (int(right - left) + 2, ascent + descent), CLEAR)
    _text(image, (1 - left, 0), text, font, PALETTES[style].text)
    return image


def words(style: str, lines: list[str], size: int) -> Image.Image:
    """Lines of text on a clear ground."""
    font = load_font(set_of(style), size)
    ascent, descent = font.getmetrics()
    width = max(int(font.getlength(line)) for line in lines) + 8
    image = Image.new("RGBA", (width, (ascent + descent + 4) * len(lines)), CLEAR)
    for row, line in enumerate(lines):
        _text(image, (3, row * (ascent + descent + 4)), line, font, PALETTES[style].text)
    return image


def radar(style: str, size: int) -> Image.Image:
    """A minimap frame: set a round with rings, set b a slanted grid."""
    colors, image = PALETTES[style], Image.new("RGBA", (size, size), CLEAR)
    draw, end = ImageDraw.Draw(image), size - 1
    if set_of(style) == "a":
        for ring, radius in enumerate((0, size // 6, size // 3)):
            fill = colors.panel if ring == 0 else None
            draw.ellipse((radius, radius, end - radius, end - radius), fill=fill, outline=colors.line, width=3)
        draw.polygon([(size / 2, size * 0.4), (size * 0.57, size * 0.58), (size * 0.43, size * 0.58)], fill=colors.text)
    else:
        draw.rectangle((0, 0, end, end), fill=colors.panel, outline=colors.line, width=2)
        for offset in range(size // 5, end, size // 5):
            draw.line((offset, 2, offset, end - 2), fill=colors.bad, width=1)
            draw.line((2, offset, end - 2, offset), fill=colors.bad, width=1)
        draw.line((size / 2, size * 0.36, size / 2, size * 0.64), fill=colors.text, width=3)
        draw.line((size * 0.36, size / 2, size * 0.64, size / 2), fill=colors.text, width=3)
    return image


def crosshair(style: str) -> Image.Image:
    """A reticle: set a a circle with a dot, set b four strokes."""
    colors, image = PALETTES[style], Image.new("RGBA", (40, 40), CLEAR)
    draw = ImageDraw.Draw(image)
    if set_of(style) == "a":
        draw.ellipse((5, 5, 34, 34), outline=colors.text, width=2)
        draw.ellipse((18, 18, 21, 21), fill=colors.good)
    else:
        for stroke in ((19, 2, 19, 13), (19, 26, 19, 37), (2, 19, 13, 19), (26, 19, 37, 19)):
            draw.line(stroke, fill=colors.line, width=3)
    return image


def slots(style: str, count: int, size: int) -> Image.Image:
    """A hotbar: set a round slots, set b square ones, each with a little drawing."""
    colors, image = PALETTES[style], Image.new("RGBA", (count * (size + 6), size), CLEAR)
    draw = ImageDraw.Draw(image)
    for index in range(count):
        x, middle = index * (size + 6), size / 2
        box = (x, 0, x + size - 1, size - 1)
        if set_of(style) == "a":
            draw.ellipse(box, fill=colors.panel, outline=colors.line, width=3)
            sides, turn = 3 + index, 0.3 * index
        else:
            draw.rectangle(box, fill=colors.panel, outline=colors.line, width=2)
            sides, turn = 4, math.pi / 4 * index
        points = [(x + middle + size * 0.26 * math.cos(turn + 2 * math.pi * k / sides),
                   middle + size * 0.26 * math.sin(turn + 2 * math.pi * k / sides)) for k in range(sides)]
        draw.polygon(points, fill=colors.good if index % 2 else colors.text)
    return image


def compass(style: str, width: int) -> Image.Image:
    """A heading tape with ticks and letters."""
    colors, image = PALETTES[style], Image.new("RGBA", (width, 34), CLEAR)
    draw, font = ImageDraw.Draw(image), load_font(set_of(style), 15)
    draw.line((0, 30, width, 30), fill=colors.line, width=3 if set_of(style) == "a" else 1)
    for index, x in enumerate(range(10, width - 8, 22)):
        draw.line((x, 22 if index % 4 else 16, x, 30), fill=colors.line, width=2)
        if index % 4 == 0:
            _text(image, (x - 5, 0), "NESW"[(index // 4) % 4], font, colors.text)
    return image


def _text(image: Image.Image, at: tuple[float, float], text: str, font: object, color: Color) -> None:
    # Drawn as a mask and cut at half: the engine knows no soft edges, and would show them as a dark fringe.
    outline, fill = Image.new("L", image.size, 0), Image.new("L", image.size, 0)
    ImageDraw.Draw(outline).text(at, text, font=font, fill=255, stroke_width=1)  # type: ignore[arg-type]
    ImageDraw.Draw(fill).text(at, text, font=font, fill=255)  # type: ignore[arg-type]
    image.paste((12, 12, 16, 255), mask=outline.point(lambda v: 255 if v > 127 else 0))
    image.paste(color, mask=fill.point(lambda v: 255 if v > 127 else 0))
