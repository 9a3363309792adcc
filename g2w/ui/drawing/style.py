"""Themes of the two style sets: `a` (training) and `b` (benchmark). No color, font, icon or outline shape is shared."""

from __future__ import annotations

import importlib.util
import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

from g2w.ui.drawing.scripts import FONTS, is_latin, noto_file

RGB = tuple[int, int, int]
STYLE_SETS = ("a", "b")

# (panel, ink, accent, second accent, warning, outline) of each palette
PALETTES: dict[str, tuple[tuple[RGB, RGB, RGB, RGB, RGB, RGB], ...]] = {
    "a": (
        ((18, 20, 26), (250, 250, 250), (226, 52, 44), (64, 156, 255), (255, 196, 38), (0, 0, 0)),
        ((38, 28, 20), (255, 236, 196), (200, 36, 28), (214, 158, 58), (255, 120, 20), (24, 14, 6)),
        ((8, 34, 48), (214, 248, 255), (30, 214, 232), (20, 120, 190), (255, 92, 92), (2, 12, 20)),
        ((26, 44, 28), (236, 255, 226), (96, 208, 72), (238, 214, 70), (236, 76, 40), (6, 18, 8)),
        ((60, 60, 64), (254, 254, 250), (255, 255, 255), (186, 188, 192), (250, 60, 60), (16, 16, 18)),
        ((48, 18, 56), (255, 226, 255), (214, 70, 226), (120, 92, 255), (255, 210, 60), (18, 4, 24)),
        ((240, 238, 230), (30, 28, 26), (222, 86, 34), (40, 132, 168), (196, 20, 40), (90, 84, 74)),
        ((12, 12, 14), (255, 214, 84), (255, 170, 12), (150, 96, 8), (255, 48, 30), (44, 26, 0)),
        ((16, 24, 66), (228, 236, 255), (70, 110, 255), (118, 226, 255), (255, 132, 160), (4, 8, 30)),
        ((84, 14, 14), (255, 64, 40), (255, 30, 20), (160, 16, 10), (255, 232, 60), (30, 0, 0)),
        ((20, 70, 66), (240, 255, 250), (54, 232, 176), (250, 246, 130), (255, 108, 64), (4, 26, 24)),
        ((120, 84, 44), (255, 250, 226), (246, 208, 96), (122, 190, 62), (190, 40, 40), (52, 32, 12)),
    ),
    "b": (
        ((24, 30, 42), (242, 246, 255), (255, 84, 112), (84, 220, 132), (246, 164, 48), (6, 8, 14)),
        ((52, 40, 60), (244, 232, 212), (176, 124, 236), (236, 188, 112), (228, 58, 92), (20, 12, 28)),
        ((6, 52, 40), (206, 255, 232), (12, 190, 124), (148, 236, 44), (244, 98, 22), (0, 20, 14)),
        ((72, 80, 92), (246, 248, 250), (98, 178, 220), (206, 216, 226), (236, 42, 52), (22, 26, 32)),
        ((226, 230, 238), (20, 26, 46), (44, 74, 200), (226, 122, 12), (178, 12, 70), (110, 118, 136)),
        ((10, 10, 30), (130, 255, 206), (0, 244, 160), (244, 0, 150), (254, 240, 0), (20, 0, 40)),
    ),
}
_FONT_FILES = {
    "a": (
        "DejaVuSans.ttf",
        "DejaVuSans-Bold.ttf",
        "DejaVuSansMono-Bold.ttf",
        "DejaVuSerif-Bold.ttf",
        "DejaVuSans-BoldOblique.ttf",
    ),
    "b": ("Aileron", "STIXGeneralBol.ttf", "Aileron"),
}
SHAPES = {"a": ("round", "pill", "flat", "bevel", "none"), "b": ("chamfer", "slant", "bracket", "double")}
BARS = {"a": ("round", "flat", "gloss", "thin"), "b": ("slant", "segments", "notched")}
DIALS = {"a": ("circle",), "b": ("hexagon", "octagon")}


@dataclass(frozen=True)
class Theme:
    """The look shared by all elements of one imaginary game. Colors are RGB 0..255, `panel_alpha` 0..255."""

    style_set: str
    index: int
    panel: RGB
    ink: RGB
    accent: RGB
    second: RGB
    warn: RGB
    outline: RGB
    font: str
    shape: str
    bar: str
    dial: str
    panel_alpha: int
    text_outline: int
    glow: int
    shadow: bool
    scale: float
    script: str = "latin"

    def __post_init__(self) -> None:
        if self.style_set not in STYLE_SETS:
            raise ValueError(f"style_set is {self.style_set!r}; use one of {STYLE_SETS}")

    @property
    def words(self) -> str:
        """Key of the stock of words: the style set, with the writing system where it is not Latin."""
        return self.style_set if self.script == "latin" else f"{self.style_set}:{self.script}"

    def font_of(self, text: str) -> str:
        """The font that writes `text`: that of the theme, or that of its script for letters that are not Latin."""
        return self.font if self.script == "latin" or is_latin(text) else FONTS[self.words]


def theme(style_set: str, seed: int, index: int) -> Theme:
    """Theme number `index` of a style set, a pure function of its arguments."""
    if style_set not in STYLE_SETS:
        raise ValueError(f"style_set is {style_set!r}; use one of {STYLE_SETS}")
    rng = random.Random(f"theme:{style_set}:{seed}:{index}")
    palettes, fonts = PALETTES[style_set], _FONT_FILES[style_set]
    panel, ink, accent, second, warn, outline = palettes[(index + seed) % len(palettes)]
    return Theme(
        style_set=style_set,
        index=index,
        panel=panel,
        ink=ink,
        accent=accent,
        second=second,
        warn=warn,
        outline=outline,
        font=fonts[index % len(fonts)],
        shape=SHAPES[style_set][index % len(SHAPES[style_set])],
        bar=BARS[style_set][(index + index // 4) % len(BARS[style_set])],
        dial=DIALS[style_set][index % len(DIALS[style_set])],
        panel_alpha=rng.choice((96, 140, 180, 220, 255)),
        text_outline=rng.choice((0, 1, 1, 2)),
        glow=rng.choice((0, 0, 0, 3, 5)),
        shadow=rng.random() < 0.5,
        scale=rng.uniform(0.85, 1.25),
    )


@lru_cache(maxsize=512)
def load_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """A font shipped inside our dependencies: `Aileron` is embedded in Pillow, DejaVu and STIX come with matplotlib, Noto
    with two packages of fonts.

    Raises:
        RuntimeError: if Pillow was built without FreeType, or a package with fonts is missing.
    """
    if name == "Aileron":
        font = ImageFont.load_default(size)
        if not isinstance(font, ImageFont.FreeTypeFont):
            raise RuntimeError("Pillow has no FreeType, so its embedded scalable font is missing: reinstall pillow")
        return font
    return ImageFont.truetype(str(noto_file(name) or _matplotlib_fonts() / name), size)


@lru_cache(maxsize=1)
def _matplotlib_fonts() -> Path:
    """Folder of the fonts that matplotlib carries, found without importing it (0.3 s)."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(
            "the fonts of the drawn interfaces come with matplotlib, which is not installed: install g2w again"
        )
    return Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
