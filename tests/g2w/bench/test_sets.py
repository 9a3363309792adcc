"""Sets from real files: twins found, spans copied exactly, masks right, games fairly drawn, contamination counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from g2w.bench.items import iter_item_masks, read_elements
from g2w.bench.sets import build_gt_set, build_s_set, contamination, find_twins, spread
from g2w.video.masks import MaskWriter
from g2w.video.read import read_frames
from g2w.video.write import write_video

GtSet = tuple[Path, list[dict[str, Any]]]


def test_twins_are_found_by_name_and_frame() -> None:
    hud = {
        "clip_id": "h",
        "split": "bench",
        "hud": "b1",
        "twin": "x-clean",
        "video": "x.mp4",
        "start_frame": 0,
        "elements_file": "e",
    }
    clean = {
        "clip_id": "c",
        "split": "bench",
        "hud": "none",
        "twin": None,
        "video": "x-clean.mp4",
        "start_frame": 0,
        "elements_file": None,
    }
    assert find_twins([hud, clean]) == [(hud, clean)]
    for change in ({"split": "train"}, {"start_frame": 150}, {"twin": None}, {"elements_file": None}, {"hud": "none"}):
        assert find_twins([{**hud, **change}, clean]) == []


def test_games_take_turns() -> None:
    assert spread([1, 2, 3, 4, 5], ["a", "a", "a", "b", "c"], 4) == [1, 4, 5, 2]
    with pytest.raises(ValueError, match="at least one"):
        spread([1], ["a"], 0)


def test_the_files_are_the_clips_own_packets(gt_set: GtSet, gt_clips: list[dict[str, Any]]) -> None:
    sets, items = gt_set
    row = gt_clips[0]
    item = next(item for item in items if item["game"] == "doom/E1")
    assert np.array_equal(read_frames(sets / item["ui_file"]), read_frames(row["path"], stop=31))
    assert item["num_frames"] == 31 and item["num_elements"] == 4


def test_truth_masks_cover_the_elements(gt_set: GtSet) -> None:
    sets, items = gt_set
    mask = next(iter_item_masks(sets, items[0])) > 0
    radar = mask[30:170, 1110:1250]
    assert 0.9 < radar.sum() / (np.pi * 64**2) < 1.1
    assert mask[340:380, 620:660].any() and not mask[200:300, 200:900].any()


def test_elements_of_every_frame_with_reasons(gt_set: GtSet) -> None:
    sets, items = gt_set
    rows = read_elements(sets, items[0])
    assert {row["frame_index"] for row in rows} == set(range(31))
    assert {row["frame_index"] for row in rows if row["sampled"]} == {0, 15, 30}
    assert {(row["element_id"], row["hidden_reason"]) for row in rows} == {
        ("health", ""),
        ("aim", ""),
        ("radar", ""),
        ("hidden", "not_shown"),
    }
    assert {row["t_ms"] for row in rows if row["sampled"]} == {0, 500, 1000}


def test_the_same_clips_give_the_same_bytes(make_twin: Callable[..., Any], tmp_path: Path) -> None:
    rows = make_twin(tmp_path, "three", game="doom/E3", seed=8, num_frames=6)
    for name in ("a", "b"):
        build_gt_set(rows, tmp_path / name / "game2world_gt", max_clips=1, num_frames=6)
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*"))
    assert len(files) == 5
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)


def test_synthetic_pairs_start_anywhere_in_their_clip(make_twin: Callable[..., Any], tmp_path: Path) -> None:
    _, clean = make_twin(tmp_path, "clip", game="doom/E4", seed=9, num_frames=13)
    frames = read_frames(clean["path"], start=3, stop=13)
    alpha = np.zeros((720, 1280), np.uint8)
    alpha[50:90, 60:200], alpha[52:88:6, 60:200] = 200, 90
    drawn = frames.copy()
    drawn[:, alpha > 150] = (240, 240, 40)
    write_video(tmp_path / "p.ui.mp4", drawn)
    with MaskWriter(tmp_path / "p.masks.parquet", width=1280, height=720) as masks:
        for _ in frames:
            masks.write(alpha)
    box = {"element_id": "e", "cls": "watermark", "x": 60, "y": 50, "w": 140, "h": 40, "visible": True}
    pq.write_table(pa.Table.from_pylist([{"frame_index": i, **box} for i in range(10)]), tmp_path / "p.boxes.parquet")
    row = {
        "pair_id": "p",
        "clip_id": "clip",
        "game": "doom/E4",
        "split": "bench",
        "num_frames": 10,
        "start_frame": 3,
        "ui": "p.ui.mp4",
        "masks": "p.masks.parquet",
        "boxes": "p.boxes.parquet",
    }
    out = tmp_path / "sets" / "game2world_s"
    items = build_s_set([row, {**row, "split": "train"}], tmp_path, {"clip": clean["path"]}, out, max_clips=3)
    assert len(items) == 1
    truth = read_frames(tmp_path / "sets" / items[0]["clean_file"])
    assert truth.shape[0] == 10 and np.abs(truth.astype(int) - frames).mean() < 1.5
    assert np.array_equal(next(iter_item_masks(tmp_path / "sets", items[0])), alpha)
    assert [r["visible"] for r in read_elements(tmp_path / "sets", items[0]) if r["sampled"]] == [True]


def test_contamination_counts_clips_and_games() -> None:
    items = [{"clip_id": "a", "game": "E1"}, {"clip_id": "b", "game": "E2"}]
    assert (
        contamination(items, [{"clip_id": "x", "game": "M1"}], [{"clip_id": "a", "game": "E1", "split": "bench"}]) == 0
    )
    assert contamination(items, [{"clip_id": "a", "game": "M1"}]) == 1
    assert contamination(items, [], [{"clip_id": "y", "game": "E2", "split": "train"}]) == 1


def test_an_empty_set_is_still_a_set(tmp_path: Path) -> None:
    assert build_gt_set([], tmp_path / "game2world_gt", max_clips=2, num_frames=30) == []
    assert pq.read_table(tmp_path / "game2world_gt" / "items.parquet").num_rows == 0
