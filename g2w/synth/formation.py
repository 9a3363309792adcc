"""Elements in formation: rows, columns, grids and mirrored pairs along the border. Pixels of the 1280x720 screen."""

from __future__ import annotations

import random
from collections.abc import Sequence

from g2w.synth.dynamics import Track
from g2w.synth.layout import HEIGHT, WIDTH, ZONE_ANCHORS, Placed
from g2w.synth.motion import AIMED, OVER_GAME
from g2w.ui.taxonomy import UIClass

Size = tuple[int, int]
_MAX_MEMBERS = 4


def choose_members(rng: random.Random, classes: Sequence[UIClass]) -> list[int]:
    """Positions in `classes` of the two to four lasting elements that stand in formation; empty if there are not two."""
    able = [
        k
        for k, item in enumerate(classes)
        if not item.is_popup and item.name not in AIMED and item.name not in OVER_GAME
    ]
    if len(able) < 2:
        return []
    return sorted(rng.sample(able, rng.randint(2, min(_MAX_MEMBERS, len(able)))))


def arrange(name: str, anchor: str, sizes: Sequence[Size], gap: int, margin: int) -> list[tuple[int, int] | None]:
    """Top left corners of boxes of these sizes, None for those that no longer fit on the screen.

    `anchor` is the zone (taxonomy) at which the formation starts; rows and columns line up on the edge they start from,
    a mirrored pair shares its line and has the same distance to the left and the right edge.

    Raises:
        ValueError: for an unknown formation.
    """
    ax, ay = ZONE_ANCHORS[anchor]
    if name == "mirror":
        spots = _mirror(sizes, gap, margin, ay)
    elif name in ("row", "column", "grid"):
        columns = {"row": len(sizes), "column": 1, "grid": 2}[name]
        spots = _grid(sizes, columns, gap, margin, (ax, ay))
    else:
        raise ValueError(f"formation {name!r} is not known; use row, column, grid or mirror")
    return [
        (x, y) if 0 <= x <= WIDTH - w and 0 <= y <= HEIGHT - h else None
        for (x, y), (w, h) in zip(spots, sizes, strict=True)
    ]


def _mirror(sizes: Sequence[Size], gap: int, margin: int, ay: float) -> list[tuple[int, int]]:
    spots, used = [], margin
    for k, (w, h) in enumerate(sizes):
        if k % 2 == 0:
            line = max(high for _, high in sizes[k : k + 2])
            top = used if ay < 1 else HEIGHT - used - line
            used += line + gap
        y = top if ay < 1 else top + line - h
        spots.append((margin if k % 2 == 0 else WIDTH - margin - w, y))
    return spots


def _grid(
    sizes: Sequence[Size], columns: int, gap: int, margin: int, anchor: tuple[float, float]
) -> list[tuple[int, int]]:
    """Cells as wide and high as the largest of their column and row; elements cling to the anchor's side of the cell."""
    ax, ay = anchor
    rows = [sizes[k : k + columns] for k in range(0, len(sizes), columns)]
    widths = [max(row[c][0] for row in rows if c < len(row)) for c in range(min(columns, len(sizes)))]
    heights = [max(h for _, h in row) for row in rows]
    total_w, total_h = sum(widths) + gap * (len(widths) - 1), sum(heights) + gap * (len(heights) - 1)
    left = round(margin + ax * (WIDTH - 2 * margin - total_w))
    top = round(margin + ay * (HEIGHT - 2 * margin - total_h))
    spots = []
    for k, (w, h) in enumerate(sizes):
        row, column = divmod(k, columns)
        x = left + sum(widths[:column]) + gap * column + round(ax * (widths[column] - w))
        y = top + sum(heights[:row]) + gap * row + round(ay * (heights[row] - h))
        spots.append((x, y))
    return spots


def feed_paths(rows: Sequence[Placed], gap: int, push: int) -> list[Track]:
    """Paths [[frame, dx, dy], ...] of the rows of a kill feed, in order of their start, relative to its top.

    A new row comes in on top; the ones on screen are pushed down during the `push` frames before, so that none covers
    another at any time.
    """
    paths = []
    for i, row in enumerate(rows):
        later = [(other.start, other.h + gap) for other in rows[i + 1 :] if other.start < row.stop]
        path: Track = []
        for frame in range(row.start, row.stop):
            dy = sum(size * max(0, min(push, frame - first + push)) // push for first, size in later)
            if not path or path[-1][2] != dy:
                path.append([frame, 0, dy])
        paths.append(path)
    return paths
