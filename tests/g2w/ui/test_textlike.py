from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from g2w.ui.textlike import text_share


def _written(text: str, *, ink: int, paper: int, size: int = 12) -> np.ndarray:
    image = Image.new("L", (160, 50), paper)
    ImageDraw.Draw(image).text((8, 8), text, fill=ink, font=ImageFont.load_default(size))
    return np.asarray(image)


@pytest.mark.parametrize(("ink", "paper"), [(240, 40), (20, 200)])
def test_lines_of_text_are_noticed_bright_or_dark(ink, paper) -> None:
    text = "Find the red key\nand open the gate"
    assert text_share(_written(text, ink=ink, paper=paper)) > 0.2
    assert text_share(_written("", ink=ink, paper=paper)) == 0.0


def test_bars_rings_and_noise_hardly_count() -> None:
    bar = np.full((30, 160), 60, np.uint8)
    bar[8:22, 10:120] = 220
    ring = Image.new("L", (80, 80), 30)
    ImageDraw.Draw(ring).ellipse((8, 8, 72, 72), outline=230, width=3)
    smooth = np.random.default_rng(0).integers(96, 104, (40, 160), dtype=np.uint8)
    for picture in (bar, np.asarray(ring), smooth):
        assert text_share(picture) < 0.06


def test_two_letters_are_no_line() -> None:
    assert text_share(_written("42", ink=240, paper=40)) == 0.0


def test_only_gray_pictures() -> None:
    with pytest.raises(ValueError, match="uint8"):
        text_share(np.zeros((4, 4, 3), np.uint8))
