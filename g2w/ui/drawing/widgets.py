"""Panels, bars and dials in the shape language of the theme: soft in set a, angular in set b."""

from __future__ import annotations

from g2w.ui.drawing.pencil import Box, Canvas, regular_polygon
from g2w.ui.drawing.style import RGB

WHITE = (255, 255, 255)


def shade(color: RGB, factor: float) -> RGB:
    """The color times `factor`, clipped to 0..255."""
    red, green, blue = (max(0, min(255, round(c * factor))) for c in color)
    return red, green, blue


def panel(canvas: Canvas, box: Box, *, alpha: int | None = None) -> None:
    """Background plate of an element. Shape `none` (set a) and `bracket` (set b) leave most of it open."""
    theme = canvas.theme
    alpha = theme.panel_alpha if alpha is None else alpha
    x0, y0, x1, y1 = box[0] + 1, box[1] + 1, box[2] - 1, box[3] - 1
    cut = min(12.0, (y1 - y0) / 3)
    if theme.shape == "round":
        canvas.rounded((x0, y0, x1, y1), 8, theme.panel, alpha, outline=theme.second, width=1.5)
    elif theme.shape == "pill":
        canvas.rounded((x0, y0, x1, y1), min(24.0, (y1 - y0) / 2), theme.panel, alpha, fill_to=shade(theme.panel, 0.6))
    elif theme.shape == "flat":
        canvas.rounded((x0, y0, x1, y1), 0, theme.panel, alpha)
        canvas.rounded((x0, y0, x0 + 4, y1), 0, theme.accent)
    elif theme.shape == "bevel":
        canvas.rounded((x0, y0, x1, y1), 2, shade(theme.panel, 1.5), 255, fill_to=shade(theme.panel, 0.7))
        canvas.line([(x0 + 1, y1), (x0 + 1, y0 + 1), (x1, y0 + 1)], shade(theme.second, 1.2), 2)
        canvas.line([(x0, y1 - 1), (x1 - 1, y1 - 1), (x1 - 1, y0)], theme.outline, 2)
    elif theme.shape == "chamfer":
        points = [(x0 + cut, y0), (x1, y0), (x1, y1 - cut), (x1 - cut, y1), (x0, y1), (x0, y0 + cut)]
        canvas.polygon(points, theme.panel, alpha)
        canvas.line([*points, points[0]], theme.accent, 1.5)
    elif theme.shape == "slant":
        canvas.polygon(
            [(x0 + cut, y0), (x1, y0), (x1 - cut, y1), (x0, y1)], theme.panel, alpha, fill_to=shade(theme.panel, 1.7)
        )
    elif theme.shape == "bracket":
        canvas.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], theme.panel, alpha // 3)
        canvas.line([(x0 + cut, y0 + 1), (x0 + 1, y0 + 1), (x0 + 1, y1 - 1), (x0 + cut, y1 - 1)], theme.accent, 2.5)
        canvas.line([(x1 - cut, y0 + 1), (x1 - 1, y0 + 1), (x1 - 1, y1 - 1), (x1 - cut, y1 - 1)], theme.accent, 2.5)
    elif theme.shape == "double":
        canvas.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], theme.panel, alpha)
        for inset, color in ((1.0, theme.second), (5.0, theme.outline)):
            a, b, c, d = x0 + inset, y0 + inset, x1 - inset, y1 - inset
            canvas.line([(a, b), (c, b), (c, d), (a, d), (a, b)], color, 1.5)


def bar(canvas: Canvas, box: Box, value: float, color: RGB) -> None:
    """Horizontal gauge filled to `value` (0..1)."""
    theme, style = canvas.theme, canvas.theme.bar
    x0, y0, x1, y1 = box
    height, end = y1 - y0, x0 + (x1 - x0) * max(0.0, min(1.0, value))
    if style in ("round", "gloss", "flat", "thin"):
        bend = height / 2 if style == "round" else (3.0 if style == "gloss" else 0.0)
        if style == "thin":
            y0, y1 = y0 + height * 0.3, y1 - height * 0.3
        canvas.rounded((x0 - 1.5, y0 - 1.5, x1 + 1.5, y1 + 1.5), bend, theme.outline, 230)
        canvas.rounded((x0, y0, x1, y1), bend, shade(color, 0.25), 220)
        if end - x0 >= 2:
            deep = shade(color, 0.6) if style in ("round", "gloss") else None
            canvas.rounded((x0, y0, end, y1), min(bend, (end - x0) / 2), color, fill_to=deep)
            if style == "gloss":
                canvas.rounded((x0 + 1, y0 + 1, end - 1, y0 + height * 0.45), 2, WHITE, 80)
        return
    lean = height * 0.6 if style == "slant" else 0.0
    canvas.polygon(_leaning(x0, y0, x1, y1, lean), theme.outline, 200)
    if style == "segments":
        num = max(4, int((x1 - x0) // 14))
        step = (x1 - x0) / num
        for k in range(num):
            lit = (k + 0.5) / num <= value
            left = x0 + k * step
            canvas.polygon(
                _leaning(left + 1, y0 + 1.5, left + step - 1, y1 - 1.5, 0),
                color if lit else shade(color, 0.3),
                255 if lit else 150,
            )
        return
    if end - x0 >= 2:
        canvas.polygon(_leaning(x0 + 1.5, y0 + 1.5, end, y1 - 1.5, lean), shade(color, 1.15), fill_to=shade(color, 0.8))
    if style == "notched":
        for k in range(1, 4):
            x = x0 + (x1 - x0) * k / 4
            canvas.line([(x, y0), (x, y1)], theme.ink, 1.5)
        canvas.line([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], theme.ink, 1.5)


def _leaning(x0: float, y0: float, x1: float, y1: float, lean: float) -> list[tuple[float, float]]:
    return [(x0 + lean, y0), (x1 + lean, y0), (x1, y1), (x0, y1)]


def dial(
    canvas: Canvas, cx: float, cy: float, radius: float, *, fill: RGB, alpha: int, rim: RGB, rim_width: float = 3.0
) -> None:
    """Round plate in set a, hexagonal or octagonal in set b: portraits, radars, ability slots."""
    style = canvas.theme.dial
    if style == "circle":
        box = (cx - radius, cy - radius, cx + radius, cy + radius)
        canvas.ellipse(box, fill, alpha, outline=rim, width=rim_width)
        return
    sides, turn = (6, 30.0) if style == "hexagon" else (8, 22.5)
    points = regular_polygon(cx, cy, radius, sides, turn)
    canvas.polygon(points, fill, alpha)
    canvas.line([*points, points[0], points[1]], rim, rim_width)


def wedge(canvas: Canvas, cx: float, cy: float, radius: float, value: float, color: RGB, alpha: int = 150) -> None:
    """Radial timer: the share `value` (0..1) still to wait, clockwise from the top."""
    if value > 0.01:
        canvas.pie((cx - radius, cy - radius, cx + radius, cy + radius), -90, -90 + 360 * min(1.0, value), color, alpha)
