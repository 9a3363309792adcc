from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from g2w.video.clips import SCHEMA, ClipConfig, crashed_row, cut_video
from g2w.video.probe import probe_file
from g2w.video.read import read_frames
from g2w.video.write import write_video

SMALL = ClipConfig(num_frames=60, width=320, height=180, preset="ultrafast")


def cut(path: Path, out: Path, config: ClipConfig = SMALL) -> list[dict]:
    rows = cut_video(path, probe_file(path), out, config)
    pa.Table.from_pylist(rows, schema=SCHEMA)
    assert len({row["clip_id"] for row in rows}) == len(rows)
    return rows


def numbers(video: SimpleNamespace, path: Path) -> list[int]:
    return [video.number_of(frame) for frame in read_frames(path)]


def canonical(video: SimpleNamespace, folder: Path, num_frames: int = 140) -> Path:
    path = folder / "inbox" / "episode.mp4"
    write_video(path, [video.picture(i) for i in range(num_frames)], preset="ultrafast")
    actions = [
        {
            "frame_index": i,
            **dict.fromkeys(("w", "a", "s", "d", "attack", "use", "sprint"), i % 2 == 0),
            "mouse_dx": float(i),
            "mouse_dy": 0.0,
            "x": float(i),
            "y": 0.0,
            "z": 0.0,
            "yaw": 0.0,
            "pitch": 0.0,
            "valid": True,
        }
        for i in range(num_frames)
    ]
    pq.write_table(pa.Table.from_pylist(actions), path.with_name("episode.actions.parquet"))
    boxes = [
        {
            "frame_index": i,
            "element_id": "hp",
            "cls": "player_status",
            "x": i,
            "y": 8,
            "w": 20,
            "h": 10,
            "visible": True,
        }
        for i in range(num_frames)
    ]
    pq.write_table(pa.Table.from_pylist(boxes), path.with_name("episode.elements.parquet"))
    card = {
        "source": "vizdoom",
        "game": "freedoom2/MAP03",
        "split": "train",
        "hud": "a1",
        "episode": "e1",
        "genre": "fps",
    }
    path.with_name("episode.source.json").write_text(json.dumps(card))
    return path


def test_a_canonical_source_is_copied_with_its_tables(video: SimpleNamespace, tmp_path: Path) -> None:
    source = canonical(video, tmp_path)
    rows = cut(source, tmp_path / "out")
    assert [(r["verdict"], r["reason"], r["method"], r["start_frame"], r["num_frames"]) for r in rows] == [
        ("ok", None, "copied", 0, 60),
        ("ok", None, "copied", 60, 60),
        ("rejected", "short", None, 120, 20),
    ]
    assert (rows[1]["game"], rows[1]["split"], rows[1]["hud"], rows[1]["side_status"]) == (
        "freedoom2/MAP03",
        "train",
        "a1",
        "ok",
    )
    assert (rows[1]["start_s"], rows[1]["end_s"]) == (2.0, 4.0)
    whole = read_frames(source)
    assert (read_frames(tmp_path / "out" / rows[1]["file"]) == whole[60:120]).all()
    actions = pq.read_table(tmp_path / "out" / rows[1]["actions_file"])
    assert actions["frame_index"].to_pylist() == list(range(60)) and actions["mouse_dx"].to_pylist() == list(
        range(60, 120)
    )
    boxes = pq.read_table(tmp_path / "out" / rows[1]["elements_file"])
    assert boxes["x"].to_pylist() == list(range(60, 120)) and boxes["frame_index"].to_pylist() == list(range(60))


def test_the_same_inputs_are_the_same_rows_and_bytes(base: Path, video: SimpleNamespace, tmp_path: Path) -> None:
    for source in (base, canonical(video, tmp_path)):
        first, second = cut(source, tmp_path / "one"), cut(source, tmp_path / "two")
        assert first == second
        for row in first:
            if row["file"]:
                assert (tmp_path / "one" / row["file"]).read_bytes() == (tmp_path / "two" / row["file"]).read_bytes()


def test_other_sources_are_encoded_and_no_frame_is_lost_or_doubled(
    base: Path, video: SimpleNamespace, tmp_path: Path
) -> None:
    rows = cut(base, tmp_path)
    assert [r["method"] for r in rows] == ["encoded"] * 3
    found = [n for row in rows for n in numbers(video, tmp_path / row["file"])]
    assert found == list(range(180))
    assert all(probe_file(tmp_path / row["file"])["num_frames"] == 60 for row in rows)


def test_cuts_are_not_moved_to_keyframes(video: SimpleNamespace, tmp_path: Path) -> None:
    source = canonical(video, tmp_path, 140)
    row = {**probe_file(source), "shots": "[[0, 37], [37, 140]]"}
    rows = cut_video(source, row, tmp_path / "out", SMALL)
    assert [(r["start_frame"], r["method"], r["shot_id"], r["verdict"]) for r in rows] == [
        (0, None, 0, "rejected"),
        (37, "encoded", 1, "ok"),
        (97, None, 1, "rejected"),
    ]
    assert numbers(video, tmp_path / "out" / rows[1]["file"]) == list(range(37, 97))
    assert pq.read_table(tmp_path / "out" / rows[1]["actions_file"])["mouse_dx"].to_pylist() == list(range(37, 97))


def test_rates_are_changed_by_time(video: SimpleNamespace, tmp_path: Path) -> None:
    fast = video.encode(tmp_path / "fast.mp4", [video.picture(i) for i in range(240)], fps=120)
    (row,) = cut(fast, tmp_path)
    assert numbers(video, tmp_path / row["file"]) == list(range(0, 240, 4))
    kept = [k for k in range(60) if k not in (20, 21)]
    gap = video.encode(tmp_path / "gap.mp4", [video.picture(k) for k in kept], ticks=kept, time_base=Fraction(1, 30))
    (row,) = cut(gap, tmp_path)
    shown = numbers(video, tmp_path / row["file"])
    assert len(shown) == 60 and shown[:20] == list(range(20)) and shown[22:] == list(range(22, 60))
    assert shown[20:22] == [19, 22]


def test_damaged_parts_give_no_clip(base: Path, video: SimpleNamespace, tmp_path: Path) -> None:
    data = base.read_bytes()
    path = tmp_path / "truncated.mp4"
    path.write_bytes(data[: len(data) * 6 // 10])
    rows = cut(path, tmp_path)
    assert rows[0]["verdict"] == "ok" and numbers(video, tmp_path / rows[0]["file"]) == list(range(60))
    assert all(r["reason"] == "short" for r in rows[1:])


def test_a_broken_side_table_costs_the_table_and_not_the_clip(video: SimpleNamespace, tmp_path: Path) -> None:
    source = canonical(video, tmp_path, 60)
    source.with_name("episode.actions.parquet").write_text("hello")
    (row,) = cut(source, tmp_path / "out")
    assert (row["verdict"], row["side_status"], row["actions_file"]) == ("ok", "invalid", None)
    assert row["elements_file"] is not None


def test_inputs_that_vanish_or_change_are_rows(base: Path, tmp_path: Path) -> None:
    path = tmp_path / "moving.mp4"
    path.write_bytes(base.read_bytes())
    row = probe_file(path)
    path.write_bytes(base.read_bytes() + b"x")
    assert [r["reason"] for r in cut_video(path, row, tmp_path, SMALL)] == ["changed"]
    path.unlink()
    assert [r["reason"] for r in cut_video(path, row, tmp_path, SMALL)] == ["missing"]
    rejected = {**row, "verdict": "rejected", "reason": "black"}
    assert [r["reason"] for r in cut_video(base, rejected, tmp_path, SMALL)] == ["black"]
    assert crashed_row(row)["reason"] == "crashed" and set(crashed_row(row)) == set(SCHEMA.names)


def test_other_shapes_reach_the_canvas(video: SimpleNamespace, tmp_path: Path) -> None:
    tall = video.encode(tmp_path / "tall.mp4", [video.picture(i, (180, 320)) for i in range(60)])
    (row,) = cut(tall, tmp_path)
    frames = read_frames(tmp_path / row["file"])
    assert row["policy"] == "pad" and frames.shape == (60, 180, 320, 3)
    assert frames[:, :, :100].max() < 30 and np.ptp(frames[:, :, 115:205]) > 100


@pytest.mark.slow
def test_the_published_form(base: Path, tmp_path: Path) -> None:
    rows = cut(base, tmp_path, ClipConfig())
    assert [(r["verdict"], r["num_frames"]) for r in rows] == [("ok", 150), ("rejected", 30)]
    row = probe_file(tmp_path / rows[0]["file"])
    assert (row["width"], row["height"], row["fps"], row["num_frames"], row["duration_s"]) == (
        1280,
        720,
        "30",
        150,
        5.0,
    )
