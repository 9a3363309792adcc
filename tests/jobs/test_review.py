"""`g2w review` from the outside: export, annotate, import, status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from g2w.lineage.lake import Lake
from jobs.cli import app
from tests.jobs.review_lake import build_lake


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """One batch with a clip and its proposals."""
    lake = build_lake(tmp_path)
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
