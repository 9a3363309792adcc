"""Drawings of the in-engine interfaces: themes, panels, bars, digits and words.

Hard edges only: the engine's picture is palettized and translucency is its own. Every kind of shape belongs to one
style set: rounded, filled and warm ones to set a, angular, outlined and cold ones to set b. No drawing is shared.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw

from g2w.footage.fonts import StyleSet, load_font

Color = tuple[int, int, int, int]
PanelKind = Literal["round", "pill", "plain", "banner", "cut", "bracket", "slant"]
BarKind = Literal["round", "flat", "drops", "segments", "slant", "pips"]
CLEAR: Color = (0, 0, 0, 0)
INK: Color = (12, 12, 16, 255)


@dataclass(frozen=True)
class Theme:
    """Look of one style: colors and kinds of shapes. `good` fills bars, `extra` second bars, `bad` is their ground."""

    panel: Color
    line: Color
    text: Color
    good: Color
    extra: Color
    bad: Color
    panels: PanelKind
    bars: BarKind


def _theme(colors: str, panels: PanelKind, bars: BarKind) -> Theme:
    panel, line, text, good, extra, bad = (_color(code) for code in colors.split())
    return Theme(panel, line, text, good, extra, bad, panels, bars)


def _color(code: str) -> Color:
    red, green, blue = bytes.fromhex(code)
    return red, green, blue, 255


THEMES: dict[str, Theme] = {
    "a1": _theme("462414 e7ad52 fff0d0 d63c2c e0a030 3c1814", "round", "round"),
    "a2": _theme("283424 b4c878 f0f8dc 78bc3c c8b040 24301c", "pill", "flat"),
    "a3": _theme("2c2030 dc96c8 ffe2f6 e26096 f0c060 301c2c", "plain", "round"),
    "a4": _theme("3a3428 f0d682 fffae2 f49628 d0d0a0 3c301c", "banner", "drops"),
    "b1": _theme("101838 8080ff e0e6ff 4048ff c8c8ff 10183c", "cut", "segments"),
    "b2": _theme("141418 ececec ffffff c8c8d0 808088 34343c", "bracket", "slant"),
    "b3": _theme("0e2e1c 5aff7e d6ffe0 32dc50 a0ffb0 0e3824", "slant", "pips"),
}


def set_of(style: str) -> StyleSet:
    """Style set of a style name."""
    return "a" if style.startswith("a") else "b"


def png(image: Image.Image) -> bytes:
    """PNG bytes, the same for the same picture."""
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def blank(width: int, height: int) -> Image.Image:
    """A clear RGBA picture."""
    return Image.new("RGBA", (width, height), CLEAR)


def panel(style: str, width: int, height: int) -> Image.Image:
    """Background of a group of elements."""
    theme, image = THEMES[style], blank(width, height)
    draw, right, bottom = ImageDraw.Draw(image), width - 1, height - 1
    cut = min(16, height // 3)
    if theme.panels == "round":
        draw.rounded_rectangle((0, 0, right, bottom), radius=cut, fill=theme.panel, outline=theme.line, width=3)
    elif theme.panels == "pill":
        draw.rounded_rectangle((0, 0, right, bottom), radius=height // 2, fill=theme.panel, outline=theme.line, width=2)
    elif theme.panels == "plain":
        draw.rounded_rectangle((0, 0, right, bottom), radius=5, fill=theme.panel)
    elif theme.panels == "banner":
        draw.rounded_rectangle((0, 0, right, bottom), radius=8, fill=theme.panel)
        draw.rounded_rectangle((0, 0, 7, bottom), radius=3, fill=theme.line)
    elif theme.panels == "cut":
        corners = [(cut, 0), (right, 0), (right, bottom - cut), (right - cut, bottom), (0, bottom), (0, cut)]
        draw.polygon(corners, fill=theme.panel, outline=theme.line, width=2)
    elif theme.panels == "bracket":
        draw.rectangle((3, 3, right - 3, bottom - 3), fill=theme.panel)
        for x, step in ((0, 1), (right, -1)):
            draw.line([(x + step * cut, 0), (x, 0), (x, bottom), (x + step * cut, bottom)], fill=theme.line, width=3)
    else:
        corners = [(cut, 0), (right, 0), (right - cut, bottom), (0, bottom)]
        draw.polygon(corners, fill=theme.panel, outline=theme.line, width=2)
    return image


def bar(style: str, width: int, height: int, *, full: bool, extra: bool = False) -> Image.Image:
    """A value bar, full or empty; the engine shows the full one up to the value."""
    theme, image = THEMES[style], blank(width, height)
    draw, color = ImageDraw.Draw(image), (theme.bad if not full else theme.extra if extra else theme.good)
    if theme.bars == "round":
        draw.rounded_rectangle((0, 0, width - 1, height - 1), radius=height // 2, fill=color)
    elif theme.bars == "flat":
        draw.rectangle((0, 0, width - 1, height - 1), fill=color, outline=theme.line)
    elif theme.bars == "segments":
        for x in range(0, width - width // 14 + 2, width // 14):
            draw.rectangle((x, 0, min(width - 1, x + width // 14 - 3), height - 1), fill=color)
    else:
        _beads(draw, theme.bars, width, height, color)
    return image


def _beads(draw: ImageDraw.ImageDraw, kind: str, width: int, height: int, color: Color) -> None:
    """Repeated little shapes along a bar."""
    step = height + 3 if kind != "slant" else max(10, height)
    for x in range(0, width - step + 1, step):
        if kind == "drops":
            draw.ellipse((x, 0, x + height - 1, height - 1), fill=color)
        elif kind == "pips":
            middle = height // 2
            draw.polygon([(x + middle, 0), (x + height - 1, middle), (x + middle, height - 1), (x, middle)], fill=color)
        else:
            draw.polygon([(x + 4, 0), (x + step, 0), (x + step - 5, height - 1), (x, height - 1)], fill=color)


def digit(style: str, text: str, size: int) -> Image.Image:
    """One glyph of the number font, with a dark outline."""
    font = load_font(set_of(style), size)
    left, _, right, _ = font.getbbox(text, stroke_width=1)
    ascent, descent = font.getmetrics()
    image = blank(int(right - left) + 2, ascent + descent)
    write(image, (1 - left, 0), text, style, size)
    return image


def words(style: str, lines: list[str], size: int) -> Image.Image:
    """Lines of text on a clear ground, the first one in the color of lines when there are several."""
    font = load_font(set_of(style), size)
    ascent, descent = font.getmetrics()
    width = max(int(font.getlength(line)) for line in lines) + 8
    image = blank(width, (ascent + descent + 4) * len(lines))
    for row, line in enumerate(lines):
        color = THEMES[style].line if row == 0 and len(lines) > 1 else THEMES[style].text
        write(image, (3, row * (ascent + descent + 4)), line, style, size, color)
    return image


def write(
    image: Image.Image, at: tuple[float, float], text: str, style: str, size: int, color: Color | None = None
) -> None:
    """Write text into a picture, fill and dark outline."""
    # Drawn as a mask and cut at half: the engine knows no soft edges, and would show them as a dark fringe.
    font = load_font(set_of(style), size)
    outline, fill = Image.new("L", image.size, 0), Image.new("L", image.size, 0)
    ImageDraw.Draw(outline).text(at, text, font=font, fill=255, stroke_width=1)
    ImageDraw.Draw(fill).text(at, text, font=font, fill=255)
    image.paste(INK, mask=outline.point(lambda v: 255 if v > 127 else 0))
    image.paste(color or THEMES[style].text, mask=fill.point(lambda v: 255 if v > 127 else 0))
