from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pyarrow.parquet as pq

from g2w.lineage.lake import Lake
from g2w.lineage.work import open_workspace, read_step, write_step

ARGUMENTS = {"recipe": {"seed": 1}, "code_version": "1", "parents": {}}


def hold_and_wait(root: str, ready, done) -> None:
    work = open_workspace(Lake(root), "raw/clips", "all", run="first-run-0000000", **ARGUMENTS)
    write_step(work.steps, "shard0", [{"clip": 1}])
    ready.set()
    done.wait(60)


def test_a_killed_run_leaves_its_finished_shards_to_the_next(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    child = context.Process(target=hold_and_wait, args=(str(tmp_path), ready, done))
    child.start()
    assert ready.wait(60)
    lake = Lake(str(tmp_path))
    beside = open_workspace(lake, "raw/clips", "all", run="second-run-000000", **ARGUMENTS)
    assert read_step(beside.steps, "shard0") is None, "a living run's workspace must not be taken"
    beside.discard()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    heir = open_workspace(lake, "raw/clips", "all", run="third-run-0000000", **ARGUMENTS)
    assert read_step(heir.steps, "shard0") == [{"clip": 1}]
    snapshot = heir.publish(rows=0, summary={}, run_facts={})
    assert snapshot.manifest.files == (), "shard notes are not part of a snapshot"
    assert sorted(os.listdir(tmp_path / "raw/clips/all")) == [snapshot.handle.snapshot]


def test_two_runs_of_one_snapshot_one_wins(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    first = open_workspace(lake, "raw/clips", "all", run="a" * 20, **ARGUMENTS)
    second = open_workspace(lake, "raw/clips", "all", run="b" * 20, **ARGUMENTS)
    (first.path / "x.bin").write_bytes(b"first")
    (second.path / "x.bin").write_bytes(b"second")
    won = first.publish(rows=1, summary={}, run_facts={})
    lost = second.publish(rows=1, summary={}, run_facts={})
    assert won.manifest_sha256 == lost.manifest_sha256
    assert lost.local("x.bin").read_bytes() == b"first"


def test_tables_carry_no_clock(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    hashes = []
    for seed in (1, 2):
        work = open_workspace(
            lake, "raw/clips", "all", recipe={"seed": seed}, code_version="1", parents={}, run="r" * 20
        )
        assert work.write_table([{"a": 1, "b": "x"}, {"a": 2, "b": None}]) == 2
        hashes.append((work.path / "part-00000.parquet").read_bytes())
        assert pq.read_table(work.path / "part-00000.parquet").num_rows == 2
        work.discard()
    assert hashes[0] == hashes[1]
