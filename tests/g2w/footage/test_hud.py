from __future__ import annotations

import struct

import pytest

from g2w.footage.hud import HEIGHT, NATIVE, STYLES, WIDTH, build_hud, drawings
from g2w.footage.wad import build_wad
from g2w.ui.taxonomy import load_taxonomy


def test_a_wad_lists_its_lumps() -> None:
    wad = build_wad([("ONE", b"first"), ("TWO", b"second!")])
    magic, count, directory = struct.unpack_from("<4sII", wad)
    assert (magic, count) == (b"PWAD", 2)
    at, size, name = struct.unpack_from("<II8s", wad, directory + 16)
    assert name.rstrip(b"\0") == b"TWO" and wad[at : at + size] == b"second!"
    with pytest.raises(ValueError, match="lump name"):
        build_wad([("lower", b"")])


@pytest.mark.parametrize("style", STYLES)
def test_layouts_fit_the_screen_and_do_not_overlap(style: str) -> None:
    hud = build_hud(style)
    known = {cls.name for cls in load_taxonomy().classes}
    assert 4 <= len(hud.elements) <= 7
    for index, element in enumerate(hud.elements):
        x, y, w, h = element.zone
        assert 0 <= x and x + w <= WIDTH and 0 <= y and y + h <= HEIGHT, element
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
