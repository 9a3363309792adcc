"""What a person reads at the end of `g2w demo`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake
from g2w.lineage.work import open_workspace
from jobs import summary
from jobs.demo import DemoResult

SCORES = [
    {"suite": "gt", "system": "oracle-fill-inner", "metric": "aar", "value": 54.21, "lo": 45.3, "hi": 69.66},
    {"suite": "gt", "system": "oracle-fill-inner", "metric": "psnr_gain", "value": None, "lo": None, "hi": None},
]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    lake.seal(Batch("b00001", (Source("a.mp4", "/a.mp4", "0" * 64, 1, {}),)))
    for asset, partition, rows in (("raw/videos", "b00001", [{"video_id": "v"}]), ("bench/removal", "all", SCORES)):
        work = open_workspace(lake, asset, partition, recipe={}, code_version="1", parents={}, run="r")
        count = work.write_table(rows)
        facts = {"seconds_cpu": 12.34, "seconds_wall": 6.5}
        lake.set_head(work.publish(rows=count, summary={"rejected": 7}, run_facts=facts).handle)
    monkeypatch.setattr(summary, "_lake", lambda: lake)
    return lake


def test_batches_scores_and_intervals_can_be_read(lake: Lake) -> None:
    console = Console(file=io.StringIO(), width=120)
    summary.print_summary(console, DemoResult(61.0, ("b00001",), Path("/report.html")))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    (line,) = [line for line in text.splitlines() if "raw/videos" in line]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == ["raw/videos [b00001]", "1", "7", "0.0", "12.3", "6.5"]
    (line,) = [line for line in text.splitlines() if "oracle-fill-inner" in line]
    assert [cell.strip() for cell in line.split("│")[1:-1]] == [
        "oracle-fill-inner",
        "54.2 (45.3 to 69.7)",
        "-",
        "-",
        "-",
    ]
    assert "/report.html" in text and "done in 61 s" in text


def test_the_plan_shows_what_is_already_there(lake: Lake) -> None:
    console = Console(file=io.StringIO(), width=120)
    summary.print_plan(console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    head = lake.head("raw/videos", "b00001")
    assert head is not None and any("raw/videos" in line and head.snapshot in line for line in lines)
    assert any("bench/report" in line and "none" in line for line in lines)
