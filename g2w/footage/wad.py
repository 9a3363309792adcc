"""Writing a PWAD: the patch archive in which our interfaces reach the game engine."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_NAME_LENGTH = 8


def build_wad(lumps: Sequence[tuple[str, bytes]]) -> bytes:
    """Bytes of a PWAD: header, lump data, directory.

    Args:
        lumps: (name of at most 8 upper-case ASCII characters, content).

    Raises:
        ValueError: for a name the engine could not find.
    """
    data, directory = bytearray(), bytearray()
    for name, content in lumps:
        if not name.isascii() or not name.isupper() or len(name) > _NAME_LENGTH:
            raise ValueError(f"lump name {name!r} is not 1 to 8 upper-case ASCII characters")
        directory += struct.pack("<II8s", 12 + len(data), len(content), name.encode("ascii"))
        data += content
    return struct.pack("<4sII", b"PWAD", len(lumps), 12 + len(data)) + bytes(data) + bytes(directory)
