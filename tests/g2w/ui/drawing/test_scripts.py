from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from PIL import features

from g2w.ui.draw import LOCALIZED, starter_library
from g2w.ui.drawing import scripts, translations
from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.scripts import FONTS, SCRIPTS, is_latin, missing_reason, noto_file
from g2w.ui.drawing.style import load_font, theme

STOCKS = ("TITLES", "QUESTS", "NOTICES", "PROMPTS", "LINES", "CHAT")


def _texts(key: str) -> list[str]:
    flat: list[str] = []
    for name in STOCKS:
        for entry in getattr(translations, name)[key]:
            flat.extend(entry if isinstance(entry, tuple) else [entry])
    return flat


@pytest.mark.parametrize("key", sorted(FONTS))
def test_every_letter_has_a_glyph(key: str) -> None:
    cmap = TTFont(load_font(FONTS[key], 20).path).getBestCmap()
    for text in _texts(key):
        assert is_latin(text) or not {letter for letter in text if ord(letter) not in cmap}, text


def test_no_word_or_font_crosses_the_style_sets() -> None:
    assert not {FONTS[f"a:{s}"] for s in SCRIPTS} & {FONTS[f"b:{s}"] for s in SCRIPTS}
    for script in SCRIPTS:
        a, b = ({text for text in _texts(f"{letter}:{script}") if not is_latin(text)} for letter in "ab")
        assert a and b and not a & b


@pytest.mark.skipif(not features.check("raqm"), reason="this Pillow has no Raqm")
def test_arabic_letters_are_joined() -> None:
    font, text = load_font(FONTS["a:arabic"], 40), "المهام"
    apart = sum(font.getlength(letter) for letter in text)
    assert font.getlength(text) < 0.9 * apart


def test_latin_words_keep_the_font_of_the_theme() -> None:
    look = replace(theme("a", 0, 1), script="japanese")
    assert look.font_of("E 12") == look.font and look.font_of("扉") == FONTS["a:japanese"]
    assert look.words == "a:japanese" and theme("a", 0, 1).words == "a"
    canvas = Canvas(60, 60, look)
    canvas.text((5, 5), "扉", 40)
    assert (canvas.finish()[..., 3] > 200).sum() > 100


def test_a_script_that_cannot_be_written_is_left_out_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts.features, "check", lambda name: False)
    assert missing_reason("japanese") is None and "libfribidi0" in (missing_reason("arabic") or "")
    with pytest.warns(UserWarning, match="no arabic interfaces"):
        themes = {asset.theme for asset in starter_library("b", 0, num_variants=1)}
    assert {name.partition(":")[2] for name in themes} == {"", "bar", "icon", "cyrillic", "japanese"}
    with pytest.raises(ValueError, match="klingon"):
        missing_reason("klingon")


def test_a_missing_font_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match="pylopdf-fonts-jp"):
        noto_file.__wrapped__("NotoSansJP-Regular.otf")
    assert noto_file.__wrapped__("DejaVuSans.ttf") is None


def test_localized_elements_differ_from_the_latin_ones() -> None:
    drawn = {(asset.cls, asset.theme): asset for asset in starter_library("b", 0, num_variants=1)}
    for cls in LOCALIZED:
        pictures = [drawn[cls, "b00"], *(drawn[cls, f"b00:{script}"] for script in SCRIPTS)]
        assert len({np.ascontiguousarray(asset.pixels).tobytes() for asset in pictures}) == 4
