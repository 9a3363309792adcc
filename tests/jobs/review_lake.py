"""A lake with one batch, one clip and proposals to review."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake
from g2w.lineage.work import open_workspace
from g2w.video.write import write_video

ROWS: list[dict[str, Any]] = [
    {"clip_id": "c1", "split": split, "status": status, "x": x, "y": 40, "w": 200, "h": 60, "cls": "player_status",
     "anchor": "screen", "cls_confidence": 0.9, "confidence": 0.8, "first_frame": 0, "last_frame": 10, "detector": "d@1"}
    for split, status, x in (("train", "ok", 20), ("train", "ok", 900), ("bench", "ok", 400), ("train", "error", 0))
]  # fmt: skip


def build_lake(folder: Path, rows: Sequence[Mapping[str, Any]] = ROWS, clip: Path | None = None) -> Lake:
    """Proposal rows of clip `c1`, which is the given video or 11 gray frames."""
    lake = Lake(str(folder / "lake"))
    lake.seal(Batch("b00001", (Source("a.mp4", "/a.mp4", "0" * 64, 1, {}),)))
    clips = [{"clip_id": "c1", "file": "c1.mp4", "verdict": "ok"}]
    for asset, table in (("raw/clips", clips), ("ui/proposals", list(rows))):
        work = open_workspace(lake, asset, "b00001", recipe={}, code_version="1", parents={}, run="r")
        if asset == "raw/clips" and clip is not None:
            shutil.copy(clip, work.path / "c1.mp4")
        elif asset == "raw/clips":
            write_video(work.path / "c1.mp4", [np.full((720, 1280, 3), 10 * i, np.uint8) for i in range(11)])
        count = work.write_table(table)
        lake.set_head(work.publish(rows=count, summary={"rejected": 0}, run_facts={}).handle)
    return lake
