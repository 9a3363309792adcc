from __future__ import annotations

import struct

import pytest

from g2w.footage.wad import build_wad


def test_a_wad_lists_its_lumps() -> None:
    wad = build_wad([("ONE", b"first"), ("TWO", b"second!")])
    magic, count, directory = struct.unpack_from("<4sII", wad)
    assert (magic, count) == (b"PWAD", 2)
    at, size, name = struct.unpack_from("<II8s", wad, directory + 16)
    assert name.rstrip(b"\0") == b"TWO" and wad[at : at + size] == b"second!"


@pytest.mark.parametrize("name", ["lower", "NINECHARS", ""])
def test_names_the_engine_could_not_find_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="lump name"):
        build_wad([(name, b"")])
