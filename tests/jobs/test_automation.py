"""When things run: the re-cleaning schedule and the inbox sensor, evaluated as the daemon would."""

from __future__ import annotations

import os
import time
from pathlib import Path

import dagster as dg
import pytest

from g2w.lineage.batch import Batch, Source
from g2w.lineage.handle import Handle
from jobs.automation import CLEAN_KEYS, INGEST_KEYS, LEARN_KEYS, PROVE_KEYS, TRAIN_KEYS, inbox, reclean_weekly
from resources.lake import LakeResource


@pytest.fixture
def lake(tmp_path: Path) -> LakeResource:
    return LakeResource(root=str(tmp_path / "lake"))


def train(lake: LakeResource, snapshot: str) -> None:
    for asset in ("cleaner/lite", "cleaner/checkpoint"):
        lake.open().set_head(Handle(asset, "all", snapshot, "a" * 64, 1))


def tick(lake: LakeResource):
    answers = list(reclean_weekly(dg.build_schedule_context(resources={"lake": lake})))
    return [(answer.run_key, answer.partition_key) for answer in answers if isinstance(answer, dg.RunRequest)]


def test_every_batch_is_cleaned_again_when_the_cleaner_changes(lake: LakeResource) -> None:
    for number in range(1, 26):
        source = Source(f"{number}.mp4", f"/{number}.mp4", f"{number:064x}", 1, {})
        lake.open().seal(Batch(f"b{number:05d}", (source,)))
    assert tick(lake) == [], "nothing is cleaned before a cleaner is trained"
    train(lake, "one")
    first = tick(lake)
    assert len(first) == 25 and first[24][1] == "b00025", "no batch may be left out"
    assert tick(lake) == first, "the same cleaner gives the same keys, which the daemon runs once"
    train(lake, "two")
    assert not {key for key, _ in first} & {key for key, _ in tick(lake)}


def test_the_inbox_seals_what_has_come_to_rest(
    lake: LakeResource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "inbox"
    monkeypatch.setenv("G2W_INBOX", str(folder))
    context = dg.build_sensor_context(resources={"lake": lake})
    assert isinstance(inbox(context), dg.SkipReason), "an inbox that does not exist is no error"
    folder.mkdir()
    for name in ("old.mp4", "new.mp4"):
        (folder / name).write_bytes(name.encode())
    os.utime(folder / "old.mp4", (time.time() - 600,) * 2)
    result = inbox(context)
    assert [(r.run_key, r.partition_key) for r in result.run_requests] == [("b00001", "b00001")]
    assert result.dynamic_partitions_requests[0].partition_keys == ["b00001"]
    assert [s.name for s in lake.open().batch("b00001").sources] == ["old.mp4"]
    assert isinstance(inbox(context), dg.SkipReason)


def test_the_jobs_cover_the_graph_once() -> None:
    from g2w_assets.definitions import ASSETS

    keys = [*INGEST_KEYS, *LEARN_KEYS, *TRAIN_KEYS, *CLEAN_KEYS, *PROVE_KEYS]
    assert sorted(keys) == sorted("/".join(asset.key.path) for asset in ASSETS)
