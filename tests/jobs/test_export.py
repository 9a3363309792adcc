"""`g2w export pairs` from the outside."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake
from g2w.lineage.work import open_workspace
from jobs.cli import app

PAIRS = [
    {"pair_id": name, "clip_id": "c1", "split": split, "verdict": "ok", "start_frame": 3}
    | {kind: f"{name}.{kind}.{'mp4' if kind == 'ui' else 'parquet'}" for kind in ("ui", "masks", "boxes")}
    for name, split in (("a", "train"), ("b", "bench"), ("c", "bench"))
]


def publish(lake: Lake, asset: str, batch: str, rows: list[dict[str, Any]], files: dict[str, bytes]) -> None:
    work = open_workspace(lake, asset, batch, recipe={}, code_version="1", parents={}, run="r")
    for name, data in files.items():
        (work.path / name).write_bytes(data)
    count = work.write_table(rows)
    lake.set_head(work.publish(rows=count, summary={"rejected": 0}, run_facts={}).handle)


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    lake.seal(Batch("b00001", (Source("a.mp4", "/a.mp4", "0" * 64, 1, {}),)))
    monkeypatch.setenv("G2W_LAKE", lake.root)
    return lake


def fill(lake: Lake, rows: list[dict[str, Any]]) -> None:
    publish(
        lake, "raw/clips", "b00001", [{"clip_id": "c1", "file": "c1.mp4", "verdict": "ok"}], {"c1.mp4": b"clip" * 999}
    )
    publish(lake, "pairs/recipes", "all", [{"pair_id": row["pair_id"], "seed": 1} for row in rows], {})
    files = {str(row[k]): f"{row[k]}".encode() * 50 for row in rows for k in ("ui", "masks", "boxes") if k in row}
    publish(lake, "pairs/rendered", "all", rows, files)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["export", "pairs", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_pairs_of_a_split_with_or_without_their_clips(lake: Lake, tmp_path: Path) -> None:
    fill(lake, PAIRS)
    out = tmp_path / "out"
    assert "2 pairs" in run(str(out), "--split", "bench", "--dry-run") and not out.exists()
    assert "2 pairs in 1 shards" in run(str(out), "--split", "bench")
    with tarfile.open(out / "pairs-000000.tar") as tar:
        assert tar.getnames() == [
            f"{pair}.{ending}" for pair in ("b", "c") for ending in ("ui.mp4", "masks.parquet", "boxes.parquet", "json")
        ]
    assert "3 pairs in 1 shards" in run(str(out), "--with-clips")
    with tarfile.open(out / "pairs-000000.tar") as tar:
        clip = tar.extractfile("a.clip.mp4")
        assert clip is not None and clip.read() == b"clip" * 999


def test_what_cannot_be_exported_is_said(lake: Lake, tmp_path: Path) -> None:
    assert "materialize pairs/rendered first" in run(str(tmp_path / "o"), code=2)
    old = [{key: value for key, value in row.items() if key != "masks"} for row in PAIRS]
    fill(lake, old)
    assert "materialize it again" in run(str(tmp_path / "o"), code=2)
    assert "unknown split" in run(str(tmp_path / "o"), "--split", "test", code=2)
    assert not (tmp_path / "o").exists()
