"""The parts a HUD layout is made of: each draws with the engine's own SBARINFO commands and declares its zone.

Found by trial on ViZDoom 1.3.2: `base doom` with `resolution 1280, 720` and a `fullscreen, fullscreenoffsets` block
places pictures pixel by pixel and leaves the 3D view at full size; flags of `drawnumber` stand after the value, elsewhere
the engine crashes, as it does on `base none` and `height 0`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from g2w.footage import art
from g2w.footage.gauges import DECORATE, STEP_FRAMES
from g2w.footage.wad import build_wad

WIDTH, HEIGHT = 1280, 720
Zone = tuple[int, int, int, int]


@dataclass(frozen=True)
class Element:
    """One interface element: id, taxonomy class, zone (x, y, w, h) at 720p that holds all its pixels."""

    element_id: str
    cls: str
    zone: Zone


class Layout:
    """Collects the elements, script lines and pictures of one style."""

    def __init__(self, style: str) -> None:
        self.style = style
        self.elements: list[Element] = []
        self._script: list[str] = []
        self._lumps: list[tuple[str, bytes]] = []
        self._fonts: dict[int, str] = {}

    def wad(self) -> bytes:
        """The PWAD: items, script, fonts and pictures."""
        fonts = "".join(
            f"{name}\n{{\n" + "".join(f"  {n} {name}D{n}\n" for n in range(10)) + "}\n" for name in self._fonts.values()
        )
        head = ["base doom;", f"resolution {WIDTH}, {HEIGHT};", "statusbar fullscreen, fullscreenoffsets {"]
        script = "\n".join([*head, *self._script, "}", ""])
        texts = [("SBARINFO", script.encode()), ("DECORATE", DECORATE.encode()), ("FONTDEFS", fonts.encode())]
        return build_wad([*texts, *self._lumps])

    def element(self, element_id: str, cls: str, zone: Zone) -> None:
        """Declare where an element draws."""
        self.elements.append(Element(element_id, cls, zone))

    def picture(self, image: Image.Image, x: int, y: int, *, alpha: float = 1.0) -> None:
        """A still picture."""
        self._script.append(self._draw(image, x, y, alpha))

    def choose(self, gauge: str, images: Sequence[Image.Image], x: int, y: int, *, alpha: float = 1.0) -> None:
        """The picture whose index is the gauge's value."""
        self._script.append(_tree(gauge, 0, [self._draw(image, x, y, alpha) for image in images]))

    def notice(self, image: Image.Image, x: int, y: int, start: int, stop: int, *, fade: bool) -> None:
        """A picture shown in frames [start, stop) of the cycle, fading in and out over 12 frames or instant."""
        first, last = start // STEP_FRAMES, stop // STEP_FRAMES
        draws = [""] * first + [self._draw(image, x, y, 1.0)] * (last - first) + [""]
        if fade:
            for step, alpha in enumerate((0.15, 0.3, 0.45, 0.6, 0.75, 0.9)):
                draws[first + step] = draws[last - 1 - step] = self._draw(image, x, y, alpha)
        self._script.append(_tree("GwStep", 0, draws))

    def bar(self, gauge: str, x: int, y: int, width: int, height: int, *, extra: bool = False) -> None:
        """A bar filled to gauge / 100."""
        images = [art.bar(self.style, width, height, full=full, extra=extra) for full in (True, False)]
        full, empty = (self._lump(image) for image in images)
        # The engine fills a bar to amount / MaxAmount of the item, see gauges.DECORATE.
        self._script.append(f'drawbar "{full}", "{empty}", {gauge}, horizontal, {x}, {y};')

    def number(self, gauge: str, x: int, y: int, size: int, *, digits: int = 3, zeros: bool = False) -> None:
        """A number whose right edge is `x`."""
        if size not in self._fonts:
            self._fonts[size] = f"GHF{len(self._fonts)}"
            for n in range(10):
                self._lumps.append((f"{self._fonts[size]}D{n}", art.png(art.digit(self.style, str(n), size))))
        fill = "fillzeros, " if zeros else ""
        self._script.append(f"drawnumber {digits}, {self._fonts[size]}, untranslated, {gauge}, {fill}{x}, {y};")

    def _lump(self, image: Image.Image) -> str:
        data = art.png(image)
        for name, known in self._lumps:
            if known == data:
                return name
        name = f"GH{self.style.upper()}{len(self._lumps):03d}"
        self._lumps.append((name, data))
        return name

    def _draw(self, image: Image.Image, x: int, y: int, alpha: float) -> str:
        draw = f'drawimage "{self._lump(image)}", {x}, {y};'
        return draw if alpha == 1.0 else f"alpha {alpha} {{ {draw} }}"


def _tree(gauge: str, low: int, draws: Sequence[str]) -> str:
    """A nested choice by amount; values from `low` on, the last one also stands for everything above."""
    if len(set(draws)) == 1:
        return draws[0]
    half = len(draws) // 2
    upper, lower = _tree(gauge, low + half, draws[half:]), _tree(gauge, low, draws[:half])
    return f"ininventory {gauge}, {low + half} {{ {upper} }} else {{ {lower} }}"
