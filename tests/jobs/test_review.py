"""`g2w review` from the outside: export, annotate, import, status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake
from g2w.lineage.work import open_workspace
from g2w.video.write import write_video
from jobs.cli import app

ROWS = [
    {"clip_id": "c1", "split": split, "status": status, "x": x, "y": 40, "w": 200, "h": 60, "cls": "player_status",
     "cls_confidence": 0.9, "confidence": 0.8, "first_frame": 0, "last_frame": 10, "detector": "d@1"}
    for split, status, x in (("train", "ok", 20), ("train", "ok", 900), ("bench", "ok", 400), ("train", "error", 0))
]  # fmt: skip


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """One batch with a clip and its proposals."""
    lake = Lake(str(tmp_path / "lake"))
    lake.seal(Batch("b00001", (Source("a.mp4", "/a.mp4", "0" * 64, 1, {}),)))
    clips = [{"clip_id": "c1", "file": "c1.mp4", "verdict": "ok"}]
    for asset, rows in (("raw/clips", clips), ("ui/proposals", ROWS)):
        work = open_workspace(lake, asset, "b00001", recipe={}, code_version="1", parents={}, run="r")
        if asset == "raw/clips":
            write_video(work.path / "c1.mp4", [np.full((720, 1280, 3), 10 * i, np.uint8) for i in range(11)])
        count = work.write_table(rows)
        lake.set_head(work.publish(rows=count, summary={"rejected": 0}, run_facts={}).handle)
    monkeypatch.setenv("G2W_LAKE", lake.root)
    monkeypatch.delenv("G2W_REVIEW", raising=False)
    return lake


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["review", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("format", ["coco", "label-studio"])
def test_a_round_through_an_annotation_tool(lake: Lake, tmp_path: Path, format: str) -> None:
    run("export", str(tmp_path / "out"), "--format", format)
    (picture,) = (tmp_path / "out" / "images").iterdir()
    assert np.asarray(Image.open(picture)).shape == (720, 1280, 3)
    file = tmp_path / "out" / ("annotations.json" if format == "coco" else "tasks.json")
    data = json.loads(file.read_text())
    if format == "coco":
        assert len(data["annotations"]) == 2, "bench clips and errors are not handed out"
        del data["annotations"][1]
    else:
        data = [{**task, "annotations": [{"result": task["predictions"][0]["result"][:1]}]} for task in data]
    file.write_text(json.dumps(data))
    assert "1 accepted, 1 rejected" in run("import", str(file), "--reviewer", "ada", "--format", format)
    state = json.loads(run("status", "--json"))
    assert state["proposals"] == {"accepted": 1, "rejected": 1} and not state["torn_lines"] and not state["gone"]
    assert "all are decided" in run("export", str(tmp_path / "more"), "--open", code=2)


def test_two_reviewers_who_disagree_leave_it_open(lake: Lake, tmp_path: Path) -> None:
    run("export", str(tmp_path / "out"))
    file = tmp_path / "out" / "annotations.json"
    run("import", str(file), "--reviewer", "ada")
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "annotations": data["annotations"][:1]}))
    run("import", str(file), "--reviewer", "bo")
    text = run("status")
    assert "1 for, 1 against" in text and "50% of 2 equal" in text
    run("export", str(tmp_path / "more"), "--open")
    assert len(json.loads((tmp_path / "more" / "annotations.json").read_text())["annotations"]) == 1


def test_what_cannot_be_used_is_said(lake: Lake, tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{")
    assert "broken.json" in run("import", str(file), "--reviewer", "ada", code=2)
    assert "unknown format" in run("export", str(tmp_path / "out"), "--format", "voc", code=2)
    run("export", str(tmp_path / "out"))
    data = json.loads((tmp_path / "out" / "annotations.json").read_text())
    data["annotations"][0]["bbox"] = [0, 0, 5000, 5]
    file.write_text(json.dumps(data))
    assert "bad_box" in run("import", str(file), "--reviewer", "ada", code=1)
    assert json.loads(run("status", "--json"))["proposals"] == {"waiting": 1, "accepted": 1}
