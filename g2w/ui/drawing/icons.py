"""Icons: smooth vector drawings in set a, pixel drawings in set b. No drawing is shared."""

from __future__ import annotations

import math

from g2w.ui.drawing.pencil import Canvas, regular_polygon
from g2w.ui.drawing.style import RGB

VECTOR_ICONS = ("cross", "shield", "blade", "bolt", "flask", "drop", "star", "coin", "gem", "rounds", "eye", "leaf")

_PIXELS: dict[str, tuple[str, ...]] = {
    "heart": (".##.##.", "#######", "#######", "#######", ".#####.", "..###..", "...#..."),
    "pistol": ("........", "########", "########", ".###.#..", ".##.....", ".##.....", "........"),
    "key": (".###....", "#...#...", "#...####", "#...#.#.", ".###....", "........"),
    "skull": (".#####.", "#######", "#..#..#", "#######", ".##.##.", ".#.#.#."),
    "axe": (".###..", "#####.", "##.##.", "...##.", "...##.", "...##.", "...##."),
    "boot": (".###..", ".###..", ".###..", ".####.", "######", "######"),
    "bomb": ("....##", "...#..", ".###..", "#####.", "#####.", "#####.", ".###.."),
    "arrow": ("...#...", "..###..", ".#####.", "...#...", "...#...", "..###.."),
    "mug": ("#####..", "#####.#", "#####.#", "######.", "#####..", ".###..."),
    "flag": ("#####.", "######", "#####.", "#.....", "#.....", "#....."),
    "clip": ("###", "#.#", "###", "###", "###", "###", "###"),
    "ring": ("..##..", ".####.", ".#..#.", "#....#", "#....#", ".####."),
}
PIXEL_ICONS = tuple(_PIXELS)


def icon_names(style_set: str) -> tuple[str, ...]:
    """Names of the icons of one style set."""
    return VECTOR_ICONS if style_set == "a" else PIXEL_ICONS


def icon(canvas: Canvas, name: str, cx: float, cy: float, size: float, color: RGB) -> None:
    """Draw one icon centered at (cx, cy) inside a square of `size` pixels.

    Raises:
        KeyError: if the icon does not belong to the style set of the canvas's theme.
    """
    if name not in icon_names(canvas.theme.style_set):
        raise KeyError(f"icon {name!r} is not in style set {canvas.theme.style_set!r}")
    if canvas.theme.style_set == "b":
        _pixel_icon(canvas, _PIXELS[name], cx, cy, size, color)
    else:
        _vector_icon(canvas, name, cx, cy, size / 2, color)


def _pixel_icon(canvas: Canvas, rows: tuple[str, ...], cx: float, cy: float, size: float, color: RGB) -> None:
    cell = size / max(len(rows), max(len(row) for row in rows))
    left, top = cx - cell * len(rows[0]) / 2, cy - cell * len(rows) / 2
    for y, row in enumerate(rows):
        for x, dot in enumerate(row):
            if dot == "#":
                x0, y0 = left + x * cell, top + y * cell
                corners = [(x0, y0), (x0 + cell, y0), (x0 + cell, y0 + cell), (x0, y0 + cell)]
                tint = tuple(min(255, round(c * (1.2 - 0.5 * y / len(rows)))) for c in color)
                canvas.polygon(corners, (tint[0], tint[1], tint[2]))


def _vector_icon(canvas: Canvas, name: str, cx: float, cy: float, r: float, color: RGB) -> None:
    def at(*pairs: tuple[float, float]) -> list[tuple[float, float]]:
        return [(cx + r * x, cy + r * y) for x, y in pairs]

    dark = canvas.theme.outline
    if name == "cross":
        canvas.rounded((cx - r, cy - r, cx + r, cy + r), r * 0.3, canvas.theme.ink)
        canvas.rounded((cx - r * 0.2, cy - r * 0.7, cx + r * 0.2, cy + r * 0.7), 0, color)
        canvas.rounded((cx - r * 0.7, cy - r * 0.2, cx + r * 0.7, cy + r * 0.2), 0, color)
    elif name == "shield":
        canvas.polygon(at((-0.8, -0.8), (0, -1), (0.8, -0.8), (0.7, 0.3), (0, 1), (-0.7, 0.3)), color)
        canvas.polygon(at((0, -0.75), (0.55, -0.6), (0.5, 0.2), (0, 0.7)), dark, 110)
    elif name == "blade":
        canvas.polygon(at((0.9, -1), (1, -0.9), (-0.2, 0.4), (-0.4, 0.2)), color)
        canvas.line(at((-0.7, 0), (0, 0.7)), dark, r * 0.25)
        canvas.line(at((-0.3, 0.3), (-0.9, 0.9)), color, r * 0.3)
    elif name == "bolt":
        canvas.polygon(at((0.2, -1), (-0.7, 0.2), (-0.05, 0.2), (-0.3, 1), (0.7, -0.25), (0.05, -0.25)), color)
    elif name == "flask":
        canvas.polygon(at((-0.25, -1), (0.25, -1), (0.25, -0.3), (0.8, 0.9), (-0.8, 0.9), (-0.25, -0.3)), color, 140)
        canvas.polygon(at((-0.45, 0.2), (0.45, 0.2), (0.8, 0.9), (-0.8, 0.9)), color)
    elif name == "drop":
        canvas.polygon(at((0, -1), (0.55, 0.1), (-0.55, 0.1)), color)
        canvas.ellipse((cx - r * 0.62, cy - r * 0.2, cx + r * 0.62, cy + r), color)
    elif name == "star":
        spikes = [
            (math.sin(k * math.pi / 5) * (1, 0.45)[k % 2], -math.cos(k * math.pi / 5) * (1, 0.45)[k % 2])
            for k in range(10)
        ]
        canvas.polygon(at(*spikes), color)
    elif name == "coin":
        canvas.ellipse((cx - r * 0.9, cy - r * 0.9, cx + r * 0.9, cy + r * 0.9), color, outline=dark, width=r * 0.15)
        canvas.ellipse((cx - r * 0.45, cy - r * 0.55, cx + r * 0.45, cy + r * 0.55), None, outline=dark, width=r * 0.15)
    elif name == "gem":
        canvas.polygon(at((-0.5, -0.8), (0.5, -0.8), (1, -0.2), (0, 1), (-1, -0.2)), color)
        canvas.line(at((-1, -0.2), (1, -0.2)), dark, 1)
        canvas.line(at((-0.3, -0.2), (0, 1), (0.3, -0.2), (0, -0.8), (-0.3, -0.2)), dark, 1)
    elif name == "rounds":
        for k in (-0.6, 0.0, 0.6):
            left, right = cx + r * (k - 0.22), cx + r * (k + 0.22)
            canvas.rounded((left, cy - r * 0.2, right, cy + r), 0, color)
            canvas.ellipse((left, cy - r * 0.9, right, cy + r * 0.2), canvas.theme.second)
    elif name == "eye":
        canvas.ellipse((cx - r, cy - r * 0.6, cx + r, cy + r * 0.6), color)
        canvas.ellipse((cx - r * 0.4, cy - r * 0.4, cx + r * 0.4, cy + r * 0.4), dark)
    else:
        canvas.polygon(at((-0.9, 0.9), (-0.7, -0.3), (0.9, -0.9), (0.4, 0.6)), color)
        canvas.line(at((-0.9, 0.9), (0.6, -0.6)), dark, 1.5)


def blip(canvas: Canvas, cx: float, cy: float, size: float, color: RGB) -> None:
    """Small marker of a map: a dot in set a, a diamond in set b."""
    if canvas.theme.style_set == "a":
        canvas.ellipse((cx - size, cy - size, cx + size, cy + size), color)
    else:
        canvas.polygon(regular_polygon(cx, cy, size * 1.2, 4), color)
