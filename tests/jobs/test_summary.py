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


def test_the_plan_tells_what_is_there_from_what_a_run_would_make(lake: Lake) -> None:
    from g2w_assets.definitions import ASSETS
    from g2w_assets.plan import tiny
    from g2w_assets.stage import spec_of

    spec = next(spec for spec in map(spec_of, ASSETS) if spec.key == "raw/videos")
    recipe, name = spec.address(lake, tiny(), "b00001", {})
    console = Console(file=io.StringIO(), width=120)
    summary.print_plan(console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert any("raw/videos" in line and name in line and "to be made" in line for line in lines)
    assert any("bench/report" in line and "after its parents" in line for line in lines)

    work = open_workspace(
        lake, "raw/videos", "b00001", recipe=recipe, code_version=spec.version, parents={}, run="another"
    )
    work.publish(rows=work.write_table([{"video_id": "v"}]), summary={"rejected": 0}, run_facts={})
    console = Console(file=io.StringIO(), width=120)
    summary.print_plan(console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert any("raw/videos" in line and name in line and "done" in line for line in lines)
