from __future__ import annotations

import pytest

from g2w.footage.hud import NATIVE, STYLES, build_hud, drawings
from g2w.footage.widgets import HEIGHT, WIDTH
from g2w.ui.taxonomy import load_taxonomy


@pytest.mark.parametrize("style", STYLES)
def test_layouts_fit_the_screen_and_do_not_overlap(style: str) -> None:
    hud = build_hud(style)
    known = {cls.name for cls in load_taxonomy().classes}
    assert 4 <= len(hud.elements) <= 7
    for index, element in enumerate(hud.elements):
        x, y, w, h = element.zone
        assert x >= 0 and x + w <= WIDTH and y >= 0 and y + h <= HEIGHT, element
        assert element.cls in known
        for other in hud.elements[index + 1 :]:
            ox, oy, ow, oh = other.zone
            assert x + w <= ox or ox + ow <= x or y + h <= oy or oy + oh <= y, (element, other)


def test_no_drawing_crosses_the_sets() -> None:
    a = {png for style in STYLES if style[0] == "a" for png in drawings(style)}
    b = {png for style in STYLES if style[0] == "b" and style != NATIVE for png in drawings(style)}
    assert len(a) > 40 and len(b) > 30 and not a & b


def test_same_style_same_bytes() -> None:
    assert build_hud("a1").wad == build_hud("a1").wad
    with pytest.raises(ValueError, match="unknown HUD style"):
        build_hud("c1")


def test_styles_cover_many_classes() -> None:
    for style_set in "ab":
        classes = {e.cls for style in STYLES if style[0] == style_set for e in build_hud(style).elements}
        assert len(classes) >= 10, classes
