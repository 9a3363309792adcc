"""Box tables as compact tracks: one list per element that holds a step only where its box changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict


class Track(TypedDict):
    """`steps`: [frame, x, y, w, h] from that frame on, or [frame] from where the element cannot be seen."""

    id: str
    cls: str
    steps: list[list[int]]


def box_tracks(rows: Iterable[Mapping[str, Any]]) -> list[Track]:
    """Tracks of a box table (`frame_index`, `element_id`, `cls`, `x`, `y`, `w`, `h`, `visible`), in order of first sight.

    A frame without a row of an element ends its box there, as a row that is not visible does.
    """
    tracks: dict[str, Track] = {}
    last: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: (row["frame_index"], row["element_id"])):
        frame, name = int(row["frame_index"]), str(row["element_id"])
        track = tracks.setdefault(name, {"id": name, "cls": str(row["cls"]), "steps": []})
        if name in last and frame > last[name] + 1:
            _step(track["steps"], last[name] + 1, [])
        _step(track["steps"], frame, [int(row[key]) for key in "xywh"] if row["visible"] else [])
        last[name] = frame
    for name, frame in last.items():
        if frame < max(last.values()):
            _step(tracks[name]["steps"], frame + 1, [])
    return [track for track in tracks.values() if any(len(step) > 1 for step in track["steps"])]


def _step(steps: list[list[int]], frame: int, box: list[int]) -> None:
    before = steps[-1][1:] if steps else []
    if box != before:
        steps.append([frame, *box])
