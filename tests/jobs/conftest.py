"""A small lake with a finished UI library and rendered pairs, to look at through pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake, Snapshot
from g2w.lineage.work import open_workspace
from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.synth.write import render_pair
from g2w.ui.draw import starter_library
from g2w.ui.library import ASSET_SCHEMA, TABLE, write_library
from g2w.video.write import write_video

HOSTILE = "</script><script>document.title='hacked'</script>"
NUM_FRAMES = 20


def gray_of(frame: int) -> int:
    """The world of the clip is flat, and its brightness tells the frame."""
    return 40 + 6 * frame


@pytest.fixture(scope="session")
def page_lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """One batch of one clip; a library of 50 drawn, two cut and one refused element; two pairs and a crashed one."""
    lake = Lake(str(tmp_path_factory.mktemp("pages") / "lake"))
    lake.seal(Batch("b00001", (Source("a.mp4", "/a.mp4", "0" * 64, 1, {}),)))
    clips = [
        {"clip_id": name, "game": game, "split": split, "num_frames": 30, "file": f"{name}.mp4", "verdict": "ok"}
        for name, game, split in (("c1", HOSTILE, "train"), ("c2", "E1M1", "bench"))
    ]
    work = open_workspace(lake, "raw/clips", "b00001", recipe={}, code_version="1", parents={}, run="r")
    for clip in clips:
        write_video(work.path / clip["file"], (np.full((720, 1280, 3), gray_of(k), np.uint8) for k in range(30)), crf=4)
    raw = _publish(work, clips)
    work = open_workspace(lake, "ui/library", "all", recipe={}, code_version="1", parents={}, run="r")
    assets = _library(work.path)
    library = _publish(work, None)
    config = SynthConfig(num_frames=NUM_FRAMES).without("codec", "motion")
    drawn = [row for row in assets if row["source"] == "drawn"]
    train = sample_recipes(clips, drawn, count=30, seed=9, split="train", config=config)
    bench = sample_recipes(clips, drawn, count=60, seed=9, split="bench", config=config)
    recipes = [
        next(row for row in train if row["num_elements"] >= 4 and row["start_frame"] > 3),
        next(row for row in bench if row["is_control"]),
    ]
    work = open_workspace(lake, "pairs/recipes", "all", recipe={}, code_version="1", parents={}, run="r")
    written = _publish(work, recipes)
    parents = {
        "raw/clips": {"b00001": raw.manifest_sha256},
        "ui/library": {"all": library.manifest_sha256},
        "pairs/recipes": {"all": written.manifest_sha256},
    }
    work = open_workspace(lake, "pairs/rendered", "all", recipe={}, code_version="1", parents=parents, run="r")
    rows: list[dict[str, Any]] = [
        {
            **render_pair(row, raw.local(f"{row['clip_id']}.mp4"), library.local_dir(), work.path),
            "verdict": "ok",
            "reason": None,
        }
        for row in recipes
    ]
    _publish(work, [*rows, {"pair_id": "gone", "split": "train", "verdict": "rejected", "reason": "crashed"}])
    return lake


def _publish(work: Any, rows: list[Mapping[str, Any]] | list[dict[str, Any]] | None) -> Snapshot:
    count = work.write_table(rows) if rows is not None else 0
    snapshot: Snapshot = work.publish(rows=count, summary={"rejected": 0}, run_facts={})
    work.lake.set_head(snapshot.handle)
    return snapshot


def _library(folder: Path) -> list[dict[str, Any]]:
    rows = write_library([asset for name in "ab" for asset in starter_library(name, 0, num_variants=2)], folder)
    cut = {
        "source": "extracted",
        "style_set": "a",
        "cls": "map_radar",
        "licence": "unknown",
        "accepted_by": "reviewers: ada",
    }
    base = next(row for row in rows if row["cls"] == "map_radar")
    rows += [
        {**base, **cut, "asset_id": HOSTILE, "theme": "x-MAP01", "x": 320, "y": 180, "attribution": "cut from MAP01"},
        {**base, **cut, "asset_id": "waits", "theme": "x-MAP02", "x": 0, "y": 0, "verdict": "needs_review"},
        {**base, **cut, "asset_id": "", "theme": "", "path": "", "num_states": 0, "verdict": "rejected", "reason": "too_small"},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows, schema=ASSET_SCHEMA), folder / TABLE)
    return rows
