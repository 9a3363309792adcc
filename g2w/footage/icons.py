"""Icons of the in-engine interfaces, drawn by us: polygons on a unit square, one catalog per style set."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from g2w.footage.art import INK, THEMES, Color, blank, set_of

Points = tuple[tuple[float, float], ...]


def _regular(sides: int, turn: float, inner: float | None = None) -> Points:
    """A regular polygon, or a star when `inner` (the radius of its notches) is given."""
    count = sides if inner is None else 2 * sides
    radii = [0.47 if inner is None or k % 2 == 0 else inner for k in range(count)]
    return tuple(
        (0.5 + r * math.cos(turn + math.tau * k / count), 0.5 + r * math.sin(turn + math.tau * k / count))
        for k, r in enumerate(radii)
    )


def _polygons(text: str) -> tuple[Points, ...]:
    """Polygons written as `x,y x,y / x,y ...` in hundredths of the square."""
    pairs = ((point.split(",") for point in polygon.split()) for polygon in text.split("/"))
    return tuple(tuple((int(x) / 100, int(y) / 100) for x, y in polygon) for polygon in pairs)


ICONS: dict[str, dict[str, tuple[Points, ...]]] = {
    "a": {
        "health": _polygons("50,95 5,50 5,28 20,12 38,14 50,30 62,14 80,12 95,28 95,50"),
        "armor": _polygons("50,4 92,18 86,62 50,97 14,62 8,18"),
        "ammo": _polygons(
            "10,95 10,40 22,10 34,40 34,95 / 40,95 40,40 52,10 64,40 64,95 / 70,95 70,40 82,10 94,40 94,95"
        ),
        "potion": _polygons("40,5 60,5 60,35 92,80 80,95 20,95 8,80 40,35"),
        "star": (_regular(5, -math.pi / 2, 0.2),),
        "sword": _polygons("86,5 95,14 47,63 57,73 47,83 37,73 16,95 5,84 27,63 17,53 27,43 37,53"),
        "leaf": _polygons("8,92 20,40 55,10 92,8 90,45 60,80 25,82"),
        "gun": _polygons("2,30 70,30 72,22 98,22 98,42 70,42 62,55 44,55 38,80 24,80 28,50 2,66"),
        "face": (_regular(14, 0.0), *_polygons("30,36 42,36 42,50 30,50 / 58,36 70,36 70,50 58,50")),
    },
    "b": {
        "health": _polygons("36,5 64,5 64,36 95,36 95,64 64,64 64,95 36,95 36,64 5,64 5,36 36,36"),
        "armor": (_regular(6, 0.0),),
        "ammo": _polygons("5,10 70,10 95,22 70,34 5,34 / 5,60 70,60 95,72 70,84 5,84"),
        "bolt": _polygons("60,2 20,55 46,55 36,98 82,40 54,40"),
        "cell": _polygons("25,15 40,15 40,4 60,4 60,15 75,15 75,96 25,96"),
        "chip": _polygons(
            "20,20 80,20 80,80 20,80 / 0,30 14,30 14,40 0,40 / 0,60 14,60 14,70 0,70 / 86,30 100,30 100,40 "
            "86,40 / 86,60 100,60 100,70 86,70"
        ),
        "wedge": _polygons("5,90 50,8 95,90 50,66"),
        "gun": _polygons("2,20 92,20 98,30 98,40 50,42 46,60 30,60 26,95 6,95 12,42 2,40"),
        "face": (_regular(6, math.pi / 2), *_polygons("20,40 80,40 70,56 30,56")),
    },
}


def icon(style: str, name: str, width: int, height: int | None = None, color: Color | None = None) -> Image.Image:
    """An icon of the style's set, `width` x `height` pixels; further polygons of a face are cut out of the first."""
    height = height or width
    image = blank(width, height)
    draw, theme = ImageDraw.Draw(image), THEMES[style]
    for index, points in enumerate(ICONS[set_of(style)][name]):
        hole = name == "face" and index > 0
        fill = INK if hole else color or theme.text
        draw.polygon([(x * (width - 1), y * (height - 1)) for x, y in points], fill=fill, outline=INK)
    return image


def icon_names(style: str) -> tuple[str, ...]:
    """Names a style can draw."""
    return tuple(ICONS[set_of(style)])
