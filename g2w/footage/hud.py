"""The in-engine interfaces: seven layouts of our own and the engine's native one, four per style set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from g2w.footage import art, icons, instruments
from g2w.footage.widgets import HEIGHT, WIDTH, Element, Layout

STYLES = ("a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4")
NATIVE = "b4"
"""The engine's own minimal HUD, message line and crosshair: benchmark only, because its art is another game's."""

NATIVE_ELEMENTS = (
    Element("health", "player_status", (0, 630, 300, 90)),
    Element("armor", "player_status", (0, 540, 300, 90)),  # shown above the health once some was picked up
    Element("ammo", "weapon_ammo", (1080, 630, 200, 90)),
    Element("message", "event_feed", (0, 0, 640, 60)),
    Element("crosshair", "crosshair", (608, 328, 64, 64)),
)


@dataclass(frozen=True)
class Hud:
    """A style ready for the engine: its elements and the bytes of its PWAD (None for the native interface)."""

    style: str
    elements: tuple[Element, ...]
    wad: bytes | None


def _status(b: Layout, x: int, y: int, *, size: int = 26, face: bool = False, alpha: float = 0.7) -> None:
    """Health and shield: icons, bars, a number, and a portrait if asked for."""
    left = 84 if face else 0
    width = 300 + left
    b.picture(art.panel(b.style, width, 92), x, y, alpha=alpha)
    if face:
        b.picture(icons.icon(b.style, "face", 68), x + 14, y + 12)
    b.picture(icons.icon(b.style, "health", 26, color=art.THEMES[b.style].good), x + left + 20, y + 14)
    b.bar("GwHealth", x + left + 54, y + 18, 152, 18)
    b.number("GwHealth", x + left + 278, y + 12, size)
    b.picture(icons.icon(b.style, "armor", 22, color=art.THEMES[b.style].extra), x + left + 22, y + 56)
    b.bar("GwShield", x + left + 54, y + 60, 120, 12, extra=True)
    b.element("status", "player_status", (x, y, width, 92))


def _ammo(b: Layout, x: int, y: int, *, size: int = 34, alpha: float = 0.75) -> None:
    """Weapon, rounds in the magazine, rounds left."""
    b.picture(art.panel(b.style, 232, 84), x, y, alpha=alpha)
    b.picture(icons.icon(b.style, "gun", 74, 36, color=art.THEMES[b.style].line), x + 18, y + 10)
    b.picture(icons.icon(b.style, "ammo", 26), x + 30, y + 50)
    b.number("GwClip", x + 156, y + 20, size, digits=2)
    b.number("GwStock", x + 216, y + 34, 20)
    b.element("ammo", "weapon_ammo", (x, y, 232, 84))


def _radar(b: Layout, x: int, y: int, size: int = 150, *, alpha: float = 0.75) -> None:
    b.picture(instruments.radar_frame(b.style, size), x, y, alpha=alpha)
    step = 360 / instruments.HEADINGS
    faces = [instruments.radar_face(b.style, size, i // 2 * 2 * step) for i in range(instruments.HEADINGS)]
    b.choose("GwYaw", faces, x, y)
    b.element("radar", "map_radar", (x, y, size, size))


def _compass(b: Layout, y: int = 12, width: int = 420) -> None:
    step, x = 360 / instruments.HEADINGS, (WIDTH - width) // 2
    tapes = [instruments.compass_tape(b.style, width, i * step) for i in range(instruments.HEADINGS)]
    b.choose("GwYaw", tapes, x, y, alpha=0.9)
    b.element("compass", "navigation_compass", (x, y, width, tapes[0].height))


def _crosshair(b: Layout) -> None:
    b.picture(instruments.crosshair(b.style), WIDTH // 2 - 20, HEIGHT // 2 - 20)
    b.element("crosshair", "crosshair", (WIDTH // 2 - 20, HEIGHT // 2 - 20, 40, 40))


def _hotbar(b: Layout, y: int, count: int, size: int = 54, *, x: int | None = None) -> None:
    images = [instruments.slots(b.style, count, size, chosen) for chosen in range(4)]
    x = (WIDTH - images[0].width) // 2 if x is None else x
    b.choose("GwSlot", images, x, y, alpha=0.85)
    b.element("hotbar", "inventory", (x, y, images[0].width, size))


def _lines(
    b: Layout, element_id: str, cls: str, lines: list[str], x: int, y: int, size: int, *, alpha: float = 1.0
) -> None:
    image = art.words(b.style, lines, size)
    b.picture(image, x, y, alpha=alpha)
    b.element(element_id, cls, (x, y, image.width, image.height))


def _notice(
    b: Layout, element_id: str, cls: str, text: str, y: int, size: int, span: tuple[int, int], *, fade: bool
) -> None:
    """A line in the middle that is there for frames `span` of the cycle, on a panel of its own."""
    words = art.words(b.style, [text], size)
    width, height = words.width + 48, words.height + 16
    image = art.panel(b.style, width, height) if fade else art.blank(width, height)
    image.alpha_composite(words, (24, 8))
    x = (WIDTH - image.width) // 2
    b.notice(image, x, y, *span, fade=fade)
    b.element(element_id, cls, (x, y, image.width, image.height))


def _score(b: Layout, x: int, y: int) -> None:
    """Score, clock, score of the others."""
    b.picture(art.panel(b.style, 260, 48), x, y, alpha=0.8)
    b.number("GwScore", x + 70, y + 8, 24, digits=2)
    b.number("GwMinute", x + 124, y + 8, 24, digits=2)
    b.picture(art.words(b.style, [":"], 24), x + 126, y + 7)
    b.number("GwSecond", x + 182, y + 8, 24, digits=2, zeros=True)
    b.number("GwRival", x + 242, y + 8, 24, digits=2)
    b.element("score", "match_status", (x, y, 260, 48))


def _team(b: Layout, x: int, y: int) -> None:
    for row, (gauge, name) in enumerate((("GwMateA", "ROOK"), ("GwMateB", "VEGA"), ("GwMateC", "OSTI"))):
        top = y + row * 52
        b.picture(art.panel(b.style, 178, 46), x, top, alpha=0.7)
        b.picture(icons.icon(b.style, "face", 30), x + 12, top + 8)
        b.picture(art.words(b.style, [name], 14), x + 50, top + 4)
        b.bar(gauge, x + 50, top + 28, 112, 10)
    b.element("team", "team_status", (x, y, 178, 150))


def _feed(b: Layout, x: int, y: int, texts: tuple[str, str], starts: tuple[int, int]) -> None:
    """Two lines of events that come and go."""
    widest = 0
    for row, (text, start) in enumerate(zip(texts, starts, strict=True)):
        image = art.words(b.style, [text], 17)
        b.notice(image, x, y + row * 30, start, start + 80, fade=False)
        widest = max(widest, image.width)
    b.element("feed", "event_feed", (x, y, widest, 60))


def _a1(b: Layout) -> None:
    _status(b, 24, 604, face=True)
    _ammo(b, 1024, 612)
    _radar(b, 1106, 22)
    _crosshair(b)
    _lines(b, "quest", "objective_tracker", ["The Old Gate", "- find the red key", "- open the gate"], 24, 130, 19)
    _notice(b, "pickup", "screen_notice", "Checkpoint reached", 200, 24, (30, 130), fade=True)


def _a2(b: Layout) -> None:
    _status(b, 24, 22, size=24)
    _hotbar(b, 650, 7)
    _compass(b)
    _radar(b, 1110, 550, 146)
    _lines(b, "mark", "watermark", ["g2w.example/live"], 1090, 20, 18, alpha=0.5)
    _feed(b, 1040, 120, ("Marek found a leaf", "Ilse > wolf"), (10, 50))


def _a3(b: Layout) -> None:
    _status(b, 956, 604, size=30)
    _score(b, 510, 14)
    _team(b, 20, 210)
    _crosshair(b)
    _ammo(b, 24, 612)


def _a4(b: Layout) -> None:
    _radar(b, 24, 530, 166)
    _status(b, 490, 610, alpha=0.9)
    _ammo(b, 1024, 614, size=30)
    _notice(b, "hint", "interaction_prompt", "[E]  Open the door", 470, 22, (60, 170), fade=False)
    _lines(b, "quest", "objective_tracker", ["HARVEST 3 / 5", "Return to the mill"], 1050, 40, 20)
    _compass(b, 16, 360)


def _b1(b: Layout) -> None:
    _status(b, 486, 612)
    _radar(b, 24, 22, 170)
    _ammo(b, 1024, 616)
    _lines(b, "task", "objective_tracker", ["OBJECTIVE", "Reach sector 7"], 1040, 150, 20)
    _crosshair(b)
    _notice(b, "alarm", "screen_notice", "SHIELD RECHARGED", 90, 24, (40, 140), fade=True)


def _b2(b: Layout) -> None:
    _status(b, 22, 606, face=True, size=28)
    _hotbar(b, 646, 5, 58)
    _ammo(b, 1024, 614)
    _score(b, 510, 12)
    _lines(b, "mark", "watermark", ["REC 00:42"], 1150, 18, 18, alpha=0.55)
    _crosshair(b)


def _b3(b: Layout) -> None:
    _radar(b, 1102, 540, 156)
    _status(b, 24, 612)
    _compass(b, 14)
    _team(b, 24, 210)
    _crosshair(b)
    _notice(b, "line", "subtitle", "Stay close. They are near.", 540, 24, (30, 190), fade=False)


_LAYOUTS: dict[str, Callable[[Layout], None]] = {
    "a1": _a1,
    "a2": _a2,
    "a3": _a3,
    "a4": _a4,
    "b1": _b1,
    "b2": _b2,
    "b3": _b3,
}


@lru_cache(maxsize=len(STYLES))
def build_hud(style: str) -> Hud:
    """The interface of a style.

    Raises:
        ValueError: for a style that is not one of STYLES.
    """
    if style == NATIVE:
        return Hud(style, NATIVE_ELEMENTS, None)
    if style not in _LAYOUTS:
        raise ValueError(f"unknown HUD style {style!r}; choose one of {', '.join(STYLES)}")
    layout = Layout(style)
    _LAYOUTS[style](layout)
    return Hud(style, tuple(layout.elements), layout.wad())


def drawings(style: str) -> Iterator[bytes]:
    """PNG bytes of every picture of a style, to prove that no drawing crosses the sets."""
    wad = build_hud(style).wad or b""
    start = wad.find(b"\x89PNG")
    while start != -1:
        end = wad.find(b"IEND", start) + 8
        yield wad[start:end]
        start = wad.find(b"\x89PNG", end)
