"""In-engine interfaces: layouts of elements, written as a PWAD with an SBARINFO script and our own drawings.

Found by trial on ViZDoom 1.3.2: `base doom` with `resolution 1280, 720` and a `fullscreen, fullscreenoffsets` block places
pictures pixel by pixel and leaves the 3D view at full size; `base none` or `height 0` crash the engine; the block is shown
when the minimal HUD is switched on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PIL import Image

from g2w.footage import art
from g2w.footage.wad import build_wad

WIDTH, HEIGHT = 1280, 720
STYLES = ("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4")
NATIVE = "b4"
"""The engine's own minimal HUD, message line and crosshair: benchmark only, because its art is another game's."""

Zone = tuple[int, int, int, int]


@dataclass(frozen=True)
class Element:
    """One interface element: id, taxonomy class, zone (x, y, w, h) at 720p that holds all its pixels."""

    element_id: str
    cls: str
    zone: Zone


NATIVE_ELEMENTS = (
    Element("health", "player_status", (0, 630, 300, 90)),
    Element("ammo", "weapon_ammo", (1080, 630, 200, 90)),
    Element("message", "event_feed", (0, 0, 560, 60)),
    Element("crosshair", "crosshair", (608, 328, 64, 64)),
)


@dataclass(frozen=True)
class Hud:
    """A style ready for the engine: its elements and the bytes of its PWAD (None for the native interface)."""

    style: str
    elements: tuple[Element, ...]
    wad: bytes | None


class _Builder:
    """Collects elements, script lines and pictures of one style."""

    def __init__(self, style: str) -> None:
        self.style = style
        self.elements: list[Element] = []
        self.script: list[str] = []
        self.lumps: list[tuple[str, bytes]] = []

    def picture(self, image: Image.Image, x: int, y: int, *, alpha: float = 1.0) -> None:
        name = f"GH{self.style.upper()}{len(self.lumps):03d}"
        self.lumps.append((name, art.png(image)))
        draw = f'drawimage "{name}", {x}, {y};'
        self.script.append(draw if alpha == 1.0 else f"alpha {alpha} {{ {draw} }}")

    def bar(self, value: str, x: int, y: int, width: int, height: int) -> None:
        names = []
        for full in (True, False):
            names.append(f"GH{self.style.upper()}{len(self.lumps):03d}")
            self.lumps.append((names[-1], art.png(art.bar(self.style, width, height, full=full))))
        self.script.append(f'drawbar "{names[0]}", "{names[1]}", {value}, horizontal, {x}, {y};')

    def number(self, value: str, x: int, y: int, digits: int = 3) -> None:
        """A number whose right edge is `x`."""
        self.script.append(f"drawnumber {digits}, GHFONT, untranslated, {value}, {x}, {y};")

    def element(self, element_id: str, cls: str, zone: Zone) -> None:
        self.elements.append(Element(element_id, cls, zone))

    def build(self, digit_size: int) -> Hud:
        glyphs = [(f"GHFN{n}", art.png(art.digit(self.style, str(n), digit_size))) for n in range(10)]
        fonts = "GHFONT\n{\n" + "".join(f"  {n} GHFN{n}\n" for n in range(10)) + "}\n"
        script = "\n".join(["base doom;", f"resolution {WIDTH}, {HEIGHT};", "statusbar fullscreen, fullscreenoffsets {", *self.script, "}\n"])
        lumps = [("SBARINFO", script.encode()), ("FONTDEFS", fonts.encode()), *glyphs, *self.lumps]
        return Hud(self.style, tuple(self.elements), build_wad(lumps))


def _status(b: _Builder, x: int, y: int, *, alpha: float = 0.7) -> None:
    b.picture(art.panel(b.style, 280, 84), x, y, alpha=alpha)
    b.bar("health", x + 16, y + 16, 248, 18)
    b.bar("armor", x + 16, y + 42, 160, 10)
    b.number("health", x + 262, y + 42)
    b.element("status", "player_status", (x, y, 280, 84))


def _ammo(b: _Builder, x: int, y: int) -> None:
    b.picture(art.panel(b.style, 150, 64), x, y, alpha=0.75)
    b.number("ammo1", x + 130, y + 18)
    b.element("ammo", "weapon_ammo", (x, y, 150, 64))


def _radar(b: _Builder, x: int, y: int, size: int = 150) -> None:
    b.picture(art.radar(b.style, size), x, y, alpha=0.8)
    b.element("radar", "map_radar", (x, y, size, size))


def _crosshair(b: _Builder) -> None:
    b.picture(art.crosshair(b.style), 620, 340)
    b.element("crosshair", "crosshair", (620, 340, 40, 40))


def _hotbar(b: _Builder, y: int, count: int, size: int = 52) -> None:
    image = art.slots(b.style, count, size)
    x = (WIDTH - image.width) // 2
    b.picture(image, x, y, alpha=0.85)
    b.element("hotbar", "inventory", (x, y, image.width, image.height))


def _lines(b: _Builder, element_id: str, cls: str, lines: list[str], x: int, y: int, size: int = 20, alpha: float = 1.0) -> None:
    image = art.words(b.style, lines, size)
    b.picture(image, x, y, alpha=alpha)
    b.element(element_id, cls, (x, y, image.width, image.height))


def _score(b: _Builder, x: int, y: int) -> None:
    b.picture(art.panel(b.style, 170, 44), x, y, alpha=0.8)
    b.number("killcount", x + 100, y + 8)
    b.element("score", "match_status", (x, y, 170, 44))


def _compass(b: _Builder, y: int = 12) -> None:
    image = art.compass(b.style, 420)
    b.picture(image, (WIDTH - 420) // 2, y)
    b.element("compass", "navigation_compass", ((WIDTH - 420) // 2, y, 420, image.height))


def _team(b: _Builder, x: int, y: int) -> None:
    for row in range(3):
        b.picture(art.panel(b.style, 150, 34), x, y + row * 42, alpha=0.7)
        b.bar("health", x + 10, y + 12 + row * 42, 128 - 20 * row, 10)
    b.element("team", "team_status", (x, y, 150, 118))


def _a1(b: _Builder) -> None:
    _status(b, 24, 612)
    _ammo(b, 1104, 632)
    _radar(b, 1106, 22)
    _crosshair(b)
    _lines(b, "quest", "objective_tracker", ["QUEST: The Old Gate", "- find the red key", "- open the gate"], 24, 120, 19)


def _a2(b: _Builder) -> None:
    _status(b, 24, 22)
    _hotbar(b, 652, 6)
    _compass(b)
    _radar(b, 1120, 560, 138)
    _lines(b, "mark", "watermark", ["g2w.example/live"], 1080, 20, 18, 0.5)


def _a3(b: _Builder) -> None:
    _status(b, 976, 618)
    _score(b, 555, 14)
    _team(b, 20, 230)
    _crosshair(b)
    _ammo(b, 24, 634)


def _a4(b: _Builder) -> None:
    _radar(b, 24, 546, 150)
    _status(b, 500, 624, alpha=0.9)
    _ammo(b, 1108, 634)
    _lines(b, "hint", "interaction_prompt", ["[E] Open the door"], 540, 470, 22)
    _compass(b)


def _b1(b: _Builder) -> None:
    _status(b, 500, 622)
    _radar(b, 24, 22, 160)
    _ammo(b, 1106, 628)
    _lines(b, "task", "objective_tracker", ["OBJECTIVE", "Reach sector 7"], 1050, 150, 20)
    _crosshair(b)


def _b2(b: _Builder) -> None:
    _status(b, 22, 616)
    _hotbar(b, 648, 5, 56)
    _ammo(b, 1106, 632)
    _score(b, 555, 12)
    _lines(b, "mark", "watermark", ["REC 00:42"], 1130, 18, 18, 0.55)


def _b3(b: _Builder) -> None:
    _radar(b, 1110, 556, 146)
    _status(b, 24, 618)
    _compass(b, 14)
    _team(b, 24, 210)
    _crosshair(b)
    _lines(b, "line", "subtitle", ["Stay close. They are near."], 500, 560, 22)


_LAYOUTS: dict[str, tuple[Callable[[_Builder], None], int]] = {
    "a1": (_a1, 26), "a2": (_a2, 24), "a3": (_a3, 28), "a4": (_a4, 24), "b1": (_b1, 26), "b2": (_b2, 24), "b3": (_b3, 28),
}


def build_hud(style: str) -> Hud:
    """The interface of a style.

    Raises:
        ValueError: for a style that is not one of STYLES.
    """
    if style == NATIVE:
        return Hud(style, NATIVE_ELEMENTS, None)
    if style not in _LAYOUTS:
        raise ValueError(f"unknown HUD style {style!r}; choose one of {', '.join(STYLES)}")
    layout, digit_size = _LAYOUTS[style]
    builder = _Builder(style)
    layout(builder)
    return builder.build(digit_size)


def drawings(style: str) -> Iterator[bytes]:
    """PNG bytes of every picture of a style, to prove that no drawing crosses the sets."""
    wad = build_hud(style).wad or b""
    start = wad.find(b"\x89PNG")
    while start != -1:
        end = wad.find(b"IEND", start) + 8
        yield wad[start:end]
        start = wad.find(b"\x89PNG", end)
