"""Where a player cannot walk: the walls of a map, read from the game archive, and how far one can see or go."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

MAX_STEP = 24
"""Map units a player can climb."""

PLAYER_HEIGHT, PLAYER_RADIUS = 56, 16
FAR = 4096.0
_NO_SIDE = 0xFFFF
_BLOCKING = 1
_LINE = np.dtype([(name, "<u2") for name in ("start", "end", "flags", "special", "tag", "front", "back")])
_SIDE = np.dtype([("x", "<i2"), ("y", "<i2"), ("textures", "S24"), ("sector", "<u2")])
_SECTOR = np.dtype(
    [("floor", "<i2"), ("ceiling", "<i2"), ("flats", "S16"), ("light", "<i2"), ("special", "<i2"), ("tag", "<i2")]
)


def load_walls(wad: Path, name: str) -> np.ndarray:
    """Segments (n, 4) of x1, y1, x2, y2 in map units, float64, that stop a player when the map begins.

    One-sided lines, lines marked as blocking, steps that are too high and gaps that are too low (closed doors too).
    Only the Doom map format is read; see the Unofficial Doom Specs, chapter 4.

    Raises:
        ValueError: if the archive has no such map.
    """
    lumps = _map_lumps(wad.read_bytes(), name, wad)
    points = np.frombuffer(lumps["VERTEXES"], "<i2").reshape(-1, 2).astype(float)
    lines, sides = np.frombuffer(lumps["LINEDEFS"], _LINE), np.frombuffer(lumps["SIDEDEFS"], _SIDE)
    sectors = np.frombuffer(lumps["SECTORS"], _SECTOR)
    open_back = lines["back"] != _NO_SIDE
    front = sectors[sides["sector"][lines["front"]]]
    back = sectors[sides["sector"][np.where(open_back, lines["back"], lines["front"])]]
    step = np.abs(front["floor"].astype(int) - back["floor"]) > MAX_STEP
    gap = np.minimum(front["ceiling"], back["ceiling"]).astype(int) - np.maximum(front["floor"], back["floor"])
    solid = ~open_back | (lines["flags"] & _BLOCKING > 0) | step | (gap < PLAYER_HEIGHT)
    return np.hstack([points[lines["start"][solid]], points[lines["end"][solid]]])


def _map_lumps(data: bytes, name: str, wad: Path) -> dict[str, bytes]:
    count, directory = struct.unpack_from("<II", data, 4)
    entries = [struct.unpack_from("<II8s", data, directory + 16 * i) for i in range(count)]
    names = [entry[2].rstrip(b"\0").decode("ascii") for entry in entries]
    if name not in names:
        raise ValueError(f"{wad} holds no map {name}")
    first = names.index(name) + 1
    return {names[i]: data[entries[i][0] : entries[i][0] + entries[i][1]] for i in range(first, first + 10)}


def clearance(walls: np.ndarray, x: float, y: float, degrees: float, *, width: float = 0.0) -> float:
    """Map units from (x, y) to the first wall in a direction (degrees, 0 = east, growing to the left), at most FAR.

    With a `width` three parallel rays are cast, so that the shoulders have room too.
    """
    angle = np.deg2rad(degrees)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    origins = [np.array([x, y]) + across * offset for offset in ((0.0,) if width == 0 else (-width, 0.0, width))]
    return min((_ray(walls, origin, along) for origin in origins), default=FAR)


def _ray(walls: np.ndarray, origin: np.ndarray, along: np.ndarray) -> float:
    if not len(walls):
        return FAR
    edge, start = walls[:, 2:] - walls[:, :2], walls[:, :2] - origin
    slope = along[0] * edge[:, 1] - along[1] * edge[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (start[:, 0] * edge[:, 1] - start[:, 1] * edge[:, 0]) / slope
        place = (start[:, 0] * along[1] - start[:, 1] * along[0]) / slope
    hit = (slope != 0) & (distance >= 0) & (place >= 0) & (place <= 1)
    return min(FAR, float(distance[hit].min())) if hit.any() else FAR
