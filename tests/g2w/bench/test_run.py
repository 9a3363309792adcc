"""One item, many systems: verdict rows for everything, and errors and missing frames told apart from zeros."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from g2w.bench.controls import CONTROLS, check_controls, write_control
from g2w.bench.judge import VERDICTS, JudgeError
from g2w.bench.pixel_judge import PixelJudge
from g2w.bench.run import error_rows, judge_item
from g2w.bench.scoring import controls_ok, score
from g2w.video.read import read_frames
from g2w.video.write import write_video

GtSet = tuple[Path, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def judged(gt_set: GtSet, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Verdicts of the three controls and of black boxes that end early, on both items."""
    sets, items = gt_set
    out, rows = tmp_path_factory.mktemp("outputs"), []
    for item in items:
        outputs = {}
        for system in CONTROLS:
            outputs[system] = out / f"{item['item_id']}.{system}.mp4"
            write_control(system, item, sets, outputs[system])
        outputs["short"] = out / f"{item['item_id']}.short.mp4"
        write_video(outputs["short"], read_frames(sets / item["clean_file"], stop=20))
        outputs["broken"] = out / f"{item['item_id']}.broken.mp4"
        outputs["broken"].write_bytes(b"no video at all")
        rows += judge_item(item, outputs, sets_dir=sets, systems=[*sorted(outputs), "absent"])
    return rows


def test_a_row_for_every_frame_and_element(gt_set: GtSet, judged: list[dict[str, Any]]) -> None:
    for item in gt_set[1]:
        for system in (*CONTROLS, "short", "broken", "absent"):
            own = [row for row in judged if row["system"] == system and row["item_id"] == item["item_id"]]
            assert [row["t_ms"] for row in own if row["level"] == "frame"] == [0, 500, 1000]
            assert len([row for row in own if row["level"] == "element"]) == 9
    table = pa.Table.from_pylist(judged, schema=VERDICTS)
    assert set(table["judge_sha"].to_pylist()) == {PixelJudge().identity().sha}
    assert table.num_rows == len(judged) == 2 * 6 * 12


def test_the_negative_controls_are_exact(judged: list[dict[str, Any]]) -> None:
    scores = score([row for row in judged if row["system"] in CONTROLS], replicates=200)
    assert controls_ok(scores), [check for check in check_controls(scores) if not check["ok"]]


def test_a_short_output_is_missing_and_a_broken_one_an_error(judged: list[dict[str, Any]]) -> None:
    short = [row for row in judged if row["system"] == "short"]
    assert {row["t_ms"] for row in short if row["status"] == "missing"} == {1000}
    assert {row["status"] for row in short} == {"ok", "missing"}
    errors = {
        system: {(r["status"], r["error"]) for r in judged if r["system"] == system} for system in ("broken", "absent")
    }
    assert errors == {"broken": {("error", "unreadable_output")}, "absent": {("error", "no_output")}}
    scores = {(r["system"], r["metric"]): r for r in score(judged, replicates=200) if r["suite"] == "game2world_gt"}
    assert scores["short", "aar"]["value"] == pytest.approx(100 * 2 / 3, abs=1e-3)
    assert scores["short", "missing"]["value"] == pytest.approx(100 / 3, abs=1e-3)
    broken = scores["broken", "aar"]
    assert (broken["status"], broken["lo"], broken["hi"], broken["method"]) == ("incomplete", 0, 100, "bounds")


def test_the_same_item_gives_the_same_rows(gt_set: GtSet) -> None:
    sets, items = gt_set
    outputs = {"x": sets / items[0]["clean_file"]}
    assert judge_item(items[0], outputs, sets_dir=sets) == judge_item(items[0], outputs, sets_dir=sets)


def test_other_sizes_come_to_the_canvas(gt_set: GtSet, tmp_path: Path) -> None:
    sets, items = gt_set
    small = read_frames(sets / items[0]["clean_file"], size=(960, 540))
    write_video(tmp_path / "small.mp4", small, crf=10)
    rows = judge_item(items[0], {"small": tmp_path / "small.mp4"}, sets_dir=sets)
    assert {row["status"] for row in rows} == {"ok"} and {row["canvas"] for row in rows} == {"1280x720"}
    assert {row["state"] for row in rows if row["level"] == "element"} == {"removed"}


def test_a_damaged_truth_makes_errors(gt_set: GtSet, tmp_path: Path) -> None:
    sets, items = gt_set
    shutil.copytree(sets, tmp_path / "sets")
    (tmp_path / "sets" / items[0]["clean_file"]).write_bytes(b"gone")
    rows = judge_item(items[0], {"x": sets / items[0]["clean_file"]}, sets_dir=tmp_path / "sets")
    assert {(row["status"], row["error"]) for row in rows} == {("error", "unreadable_truth")} and len(rows) == 12
    assert len(error_rows(items[0], ["x"], JudgeError.CRASHED, sets_dir=tmp_path)) == 3


def test_damage_outside_the_boxes_is_background_and_no_artifact(gt_set: GtSet, tmp_path: Path) -> None:
    sets, items = gt_set
    frames = read_frames(sets / items[0]["clean_file"])
    frames[:, 400:420, 300:700] = np.array([250, 30, 30], np.uint8)
    write_video(tmp_path / "line.mp4", frames, crf=12)
    rows = judge_item(items[0], {"line": tmp_path / "line.mp4"}, sets_dir=sets)
    assert {row["background"] for row in rows if row["level"] == "frame"} == {"minor_change"}
    assert {row["artifact"] for row in rows if row["level"] == "element"} == {"none"}
