"""Two font families that never meet: DejaVu draws the training interfaces, Aileron the benchmark's."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

StyleSet = Literal["a", "b"]
ATTRIBUTION = {
    "a": "DejaVu fonts (Bitstream Vera licence, public domain changes), as shipped with matplotlib",
    "b": "Aileron by Sora Sagano (CC0), as embedded in Pillow",
}


def load_font(style_set: StyleSet, size: int, *, bold: bool = True) -> ImageFont.FreeTypeFont:
    """A font of the style set in `size` pixels."""
    if style_set == "b":
        font = ImageFont.load_default(size)
        if not isinstance(font, ImageFont.FreeTypeFont):
            raise RuntimeError("Pillow was built without FreeType; install the binary wheel")
        return font
    return ImageFont.truetype(str(_dejavu_folder() / f"DejaVuSans{'-Bold' if bold else ''}.ttf"), size)


@lru_cache(maxsize=1)
def _dejavu_folder() -> Path:
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the DejaVu fonts come with matplotlib, which is not installed; install g2w again")
    return Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
