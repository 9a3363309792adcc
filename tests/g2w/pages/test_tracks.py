"""Box tables as tracks: nothing is lost, and only changes are written."""

from __future__ import annotations

import random
from typing import Any

from g2w.pages.tracks import Track, box_tracks


def row(frame: int, name: str, box: tuple[int, int, int, int] | None) -> dict[str, Any]:
    x, y, w, h = box or (0, 0, 0, 0)
    return {
        "frame_index": frame,
        "element_id": name,
        "cls": f"class of {name}",
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "visible": box is not None,
    }


def boxes_at(tracks: list[Track], frame: int) -> dict[str, list[int]]:
    """What the script of the page reads from the tracks at a frame: element_id -> [x, y, w, h]."""
    steps = {track["id"]: [step[1:] for step in track["steps"] if step[0] <= frame] for track in tracks}
    return {name: boxes[-1] for name, boxes in steps.items() if boxes and boxes[-1]}


def test_tracks_hold_every_box_of_every_frame() -> None:
    rng = random.Random(0)
    boxes = [(1, 2, 3, 4), (1, 2, 3, 5), None]
    rows = [row(frame, f"e{k}", rng.choice(boxes)) for frame in range(60) for k in range(4) if rng.random() < 0.8]
    tracks = box_tracks(rng.sample(rows, len(rows)))
    for frame in range(60):
        wanted = {
            r["element_id"]: [r[key] for key in "xywh"] for r in rows if r["frame_index"] == frame and r["visible"]
        }
        if any(r["frame_index"] >= frame for r in rows):
            assert boxes_at(tracks, frame) == wanted


def test_only_changes_are_written() -> None:
    still = [row(frame, "e0", (5, 6, 7, 8)) for frame in range(100)]
    late = [row(frame, "e1", (1, 1, 2, 2) if 10 <= frame < 20 else None) for frame in range(100)]
    never = [row(frame, "e2", None) for frame in range(100)]
    first, second = box_tracks([*still, *late, *never])
    assert first == {"id": "e0", "cls": "class of e0", "steps": [[0, 5, 6, 7, 8]]}
    assert second["steps"] == [[10, 1, 1, 2, 2], [20]]
    assert box_tracks([]) == []
