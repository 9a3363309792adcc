"""Writing systems of the drawn interfaces: which font writes them in which style set, and whether this machine can.

Cyrillic is in the fonts of the Latin themes. Arabic and Japanese come from two packages of Noto fonts (SIL OFL 1.1), a
sans for style set a and another design for b, so that no font crosses. Arabic letters join and run from right to left
only with Raqm, which Pillow carries but which needs the system's FriBiDi.
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

from PIL import features

SCRIPTS = ("cyrillic", "arabic", "japanese")
FONTS = {
    "a:cyrillic": "DejaVuSans-Bold.ttf",
    "b:cyrillic": "STIXGeneralBol.ttf",
    "a:arabic": "NotoSansArabic-Variable.ttf",
    "b:arabic": "NotoNaskhArabic-Variable.ttf",
    "a:japanese": "NotoSansJP-Regular.otf",
    "b:japanese": "NotoSerifJP-Regular.otf",
}
_PACKAGES = {"NotoSansArabic": "pylopdf_fonts_ar", "NotoNaskhArabic": "pylopdf_fonts_ar"}
_PACKAGES |= {"NotoSansJP": "pylopdf_fonts_jp", "NotoSerifJP": "pylopdf_fonts_jp"}
_LATIN_END = 0x250


def is_latin(text: str) -> bool:
    """Whether a text has Latin letters, digits and marks only."""
    return all(ord(letter) < _LATIN_END for letter in text)


@lru_cache(maxsize=16)
def noto_file(name: str) -> Path | None:
    """Path of a Noto font file; None for other fonts.

    Raises:
        RuntimeError: if the package that carries it is not installed.
    """
    package = _PACKAGES.get(name.partition("-")[0])
    if package is None:
        return None
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(
            f"the font {name} comes with {package.replace('_', '-')}, which is missing: install g2w again"
        )
    return Path(spec.submodule_search_locations[0]) / name


def missing_reason(script: str) -> str | None:
    """Why this machine cannot write a script; None if it can."""
    if script not in SCRIPTS:
        raise ValueError(f"script is {script!r}; use one of {SCRIPTS}")
    if script == "arabic" and not features.check("raqm"):
        return "Pillow found no Raqm / FriBiDi to join Arabic letters: install the system package libfribidi0"
    return None
