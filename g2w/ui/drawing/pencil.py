"""Drawing primitives on a twice oversampled RGBA canvas with straight alpha."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from g2w.ui.drawing.style import RGB, Theme, load_font

OVERSAMPLING = 2
Box = tuple[float, float, float, float]
_Paint = Callable[[ImageDraw.ImageDraw, Callable[[Sequence[tuple[float, float]]], list[tuple[float, float]]]], None]


class Canvas:
    """A drawing of `width` x `height` pixels; all coordinates are in final pixels, boxes are (x0, y0, x1, y1)."""

    def __init__(self, width: float, height: float, theme: Theme) -> None:
        self.width, self.height, self.theme = math.ceil(width), math.ceil(height), theme
        self.image = Image.new("RGBA", (self.width * OVERSAMPLING, self.height * OVERSAMPLING), (0, 0, 0, 0))

    def copy(self) -> Canvas:
        """An independent copy, to draw the next state on the same base."""
        twin = Canvas(self.width, self.height, self.theme)
        twin.image = self.image.copy()
        return twin

    def finish(self) -> np.ndarray:
        """The final picture: uint8 (height, width, 4), straight alpha, averaged on premultiplied alpha."""
        pixels = np.asarray(self.image.reduce(OVERSAMPLING)).copy()
        pixels[pixels[..., 3] == 0] = 0  # color under full transparency is noise that would cost bytes
        return pixels

    def _stamp(self, box: Box, paint: _Paint, fill: RGB, alpha: int, fill_to: RGB | None) -> None:
        x0, y0 = max(0, math.floor(box[0] * 2) - 2), max(0, math.floor(box[1] * 2) - 2)
        x1 = min(self.image.width, math.ceil(box[2] * 2) + 2)
        y1 = min(self.image.height, math.ceil(box[3] * 2) + 2)
        if x1 <= x0 or y1 <= y0 or alpha <= 0:
            return
        mask = Image.new("L", (x1 - x0, y1 - y0), 0)
        paint(ImageDraw.Draw(mask), lambda points: [(x * 2 - x0, y * 2 - y0) for x, y in points])
        self._lay(mask, (x0, y0), fill, alpha, fill_to)

    def _lay(self, mask: Image.Image, at: tuple[int, int], fill: RGB, alpha: int, fill_to: RGB | None) -> None:
        if alpha < 255:
            mask = mask.point([value * alpha // 255 for value in range(256)])
        layer = Image.new("RGBA", mask.size, (*fill, 0))
        if fill_to is not None:
            ramp = np.linspace(0.0, 1.0, mask.height)[:, None, None]
            rows = np.rint(np.asarray(fill) * (1 - ramp) + np.asarray(fill_to) * ramp).astype(np.uint8)
            layer = Image.fromarray(np.repeat(rows, mask.width, axis=1), "RGB").convert("RGBA")
        layer.putalpha(mask)
        self.image.alpha_composite(layer, at)

    def polygon(
        self, points: Sequence[tuple[float, float]], fill: RGB, alpha: int = 255, fill_to: RGB | None = None
    ) -> None:
        """Filled polygon, optionally with a vertical gradient from `fill` to `fill_to`."""
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        box = (min(xs), min(ys), max(xs), max(ys))
        self._stamp(box, lambda pen, to: pen.polygon(to(points), fill=255), fill, alpha, fill_to)

    def line(self, points: Sequence[tuple[float, float]], fill: RGB, width: float = 1.0, alpha: int = 255) -> None:
        """Polyline of `width` pixels."""
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        box = (min(xs) - width, min(ys) - width, max(xs) + width, max(ys) + width)
        stroke = max(1, round(width * OVERSAMPLING))
        self._stamp(box, lambda pen, to: pen.line(to(points), fill=255, width=stroke, joint="curve"), fill, alpha, None)

    def ellipse(
        self,
        box: Box,
        fill: RGB | None = None,
        alpha: int = 255,
        outline: RGB | None = None,
        width: float = 1.0,
        fill_to: RGB | None = None,
    ) -> None:
        """Filled and / or outlined ellipse."""
        corners = ((box[0], box[1]), (box[2], box[3]))
        if fill is not None:
            self._stamp(box, lambda pen, to: pen.ellipse(to(corners), fill=255), fill, alpha, fill_to)
        if outline is not None:
            stroke = max(1, round(width * OVERSAMPLING))
            self._stamp(box, lambda pen, to: pen.ellipse(to(corners), outline=255, width=stroke), outline, alpha, None)

    def arc(self, box: Box, start: float, stop: float, fill: RGB, width: float, alpha: int = 255) -> None:
        """Arc from `start` to `stop` degrees (0 = east, clockwise)."""
        corners, stroke = ((box[0], box[1]), (box[2], box[3])), max(1, round(width * OVERSAMPLING))
        self._stamp(box, lambda pen, to: pen.arc(to(corners), start, stop, fill=255, width=stroke), fill, alpha, None)

    def pie(self, box: Box, start: float, stop: float, fill: RGB, alpha: int = 255) -> None:
        """Filled sector, for radial timers."""
        corners = ((box[0], box[1]), (box[2], box[3]))
        self._stamp(box, lambda pen, to: pen.pieslice(to(corners), start, stop, fill=255), fill, alpha, None)

    def rounded(
        self,
        box: Box,
        radius: float,
        fill: RGB | None,
        alpha: int = 255,
        outline: RGB | None = None,
        width: float = 1.0,
        fill_to: RGB | None = None,
    ) -> None:
        """Rounded rectangle; radius 0 is a plain one."""
        corners, bend = ((box[0], box[1]), (box[2], box[3])), radius * OVERSAMPLING
        if fill is not None:
            self._stamp(box, lambda p, to: p.rounded_rectangle(to(corners), bend, fill=255), fill, alpha, fill_to)
        if outline is not None:
            stroke = max(1, round(width * OVERSAMPLING))
            self._stamp(
                box, lambda p, to: p.rounded_rectangle(to(corners), bend, outline=255, width=stroke), outline, 255, None
            )

    def text_size(self, text: str, size: float) -> tuple[float, float]:
        """Width and line height of one line of text in final pixels."""
        font = load_font(self.theme.font_of(text), round(size * OVERSAMPLING))
        return font.getlength(text) / OVERSAMPLING, size * 1.2

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: float,
        fill: RGB | None = None,
        *,
        anchor: str = "la",
        alpha: int = 255,
        outline: int | None = None,
        fill_to: RGB | None = None,
        glow: int | None = None,
    ) -> None:
        """One line of text; outline, shadow and glow come from the theme unless given."""
        theme = self.theme
        font = load_font(theme.font_of(text), round(size * OVERSAMPLING))
        stroke = (theme.text_outline if outline is None else outline) * OVERSAMPLING
        glow = theme.glow if glow is None else glow
        left, top, right, bottom = font.getbbox(text, anchor=anchor, stroke_width=stroke)
        pad = 4 + 2 * glow * OVERSAMPLING
        x0, y0 = round(at[0] * 2 + left) - pad, round(at[1] * 2 + top) - pad
        size_px = (math.ceil(right - left) + 2 * pad, math.ceil(bottom - top) + 2 * pad)
        spot = (at[0] * 2 - x0, at[1] * 2 - y0)
        body, around = Image.new("L", size_px, 0), Image.new("L", size_px, 0)
        ImageDraw.Draw(body).text(spot, text, font=font, fill=255, anchor=anchor)
        ink = theme.ink if fill is None else fill
        if glow:
            halo = body.filter(ImageFilter.GaussianBlur(glow * OVERSAMPLING / 1.5)).point(
                [min(255, 2 * v) for v in range(256)]
            )
            self._place(halo, (x0, y0), theme.accent, alpha * 3 // 5, None)
        if theme.shadow:
            self._place(body, (x0 + 3, y0 + 3), theme.outline, alpha * 3 // 4, None)
        if stroke:
            ImageDraw.Draw(around).text(spot, text, font=font, fill=255, anchor=anchor, stroke_width=stroke)
            self._place(around, (x0, y0), theme.outline, alpha, None)
        self._place(body, (x0, y0), ink, alpha, fill_to)

    def _place(self, mask: Image.Image, at: tuple[int, int], fill: RGB, alpha: int, fill_to: RGB | None) -> None:
        """Lay a mask that may reach over the edge of the canvas."""
        x, y = max(0, at[0]), max(0, at[1])
        right, bottom = min(self.image.width, at[0] + mask.width), min(self.image.height, at[1] + mask.height)
        if right > x and bottom > y:
            part = mask.crop((x - at[0], y - at[1], right - at[0], bottom - at[1]))
            self._lay(part, (x, y), fill, alpha, fill_to)


def regular_polygon(cx: float, cy: float, radius: float, sides: int, turn: float = 0.0) -> list[tuple[float, float]]:
    """Corners of a regular polygon; `turn` in degrees."""
    angles = [math.radians(turn + 360.0 * k / sides) for k in range(sides)]
    return [(cx + radius * math.cos(a), cy + radius * math.sin(a)) for a in angles]
