from __future__ import annotations

from pathlib import Path

import pytest

from g2w.lineage.batch import Batch, BatchError, Source, describe_sources
from g2w.lineage.handle import Handle
from g2w.lineage.lake import Lake, LakeError
from g2w.lineage.manifest import ManifestError
from g2w.lineage.work import open_workspace


def publish(lake: Lake, asset: str, *, partition: str = "all", seed: int = 0, parents=None, payload: bytes = b"x"):
    work = open_workspace(
        lake, asset, partition, recipe={"seed": seed}, code_version="1", parents=parents or {}, run="r" * 20
    )
    (work.path / "data.bin").write_bytes(payload)
    rows = work.write_table([{"id": i, "seed": seed} for i in range(3)])
    return work.publish(rows=rows, summary={"rejected": 0}, run_facts={"host": "here"})


def test_publish_then_read_by_handle(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    made = publish(lake, "raw/clips", partition="b00001")
    read = lake.open(Handle.from_bytes(made.handle.to_bytes()))
    assert [row["id"] for row in read.rows()] == [0, 1, 2]
    assert read.local("data.bin").read_bytes() == b"x"
    assert read.run_facts == {"host": "here"}
    assert {entry.path for entry in read.manifest.files} == {"part-00000.parquet", "data.bin"}
    assert not list((tmp_path / "raw/clips/b00001").glob(".tmp-*"))


def test_same_inputs_give_same_bytes(tmp_path: Path) -> None:
    one, two = (publish(Lake(str(tmp_path / name)), "raw/clips") for name in ("one", "two"))
    assert one.manifest_sha256 == two.manifest_sha256


def test_a_folder_without_a_manifest_does_not_exist(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    made = publish(lake, "raw/clips")
    (tmp_path / made.path / "_manifest.json").unlink()
    assert lake.find("raw/clips", "all", made.handle.snapshot) is None
    with pytest.raises(LakeError, match="materialize raw/clips again"):
        lake.open(made.handle)


def test_a_changed_manifest_is_refused(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    made = publish(lake, "raw/clips")
    path = tmp_path / made.path / "_manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"rows":3', b'"rows":4'))
    with pytest.raises(LakeError, match="manifest sha256"):
        lake.open(made.handle)


def test_by_hash_finds_old_snapshots(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    old, new = publish(lake, "raw/clips", seed=0), publish(lake, "raw/clips", seed=1)
    assert lake.by_hash("raw/clips", "all", old.manifest_sha256).path == old.path != new.path
    with pytest.raises(LakeError, match="no snapshot"):
        lake.by_hash("raw/clips", "all", "0" * 64)


def test_heads_and_create(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    assert lake.head("raw/clips", "all") is None
    made = publish(lake, "raw/clips")
    lake.set_head(made.handle)
    assert lake.head("raw/clips", "all") == made.handle
    assert lake.create("x/y.json", b"1") and not lake.create("x/y.json", b"2")
    assert lake.read("x/y.json") == b"1"


def test_batches_are_sealed_once(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    video = tmp_path / "a.mp4"
    video.write_bytes(b"video")
    (tmp_path / "a.source.json").write_text("{}")
    (tmp_path / "copy.mp4").write_bytes(b"video")
    sources = describe_sources([video, tmp_path / "copy.mp4"])
    assert len(sources) == 1 and set(sources[0].side_files) == {".source.json"}
    batch = Batch("b00001", sources)
    lake.seal(batch)
    lake.seal(batch)
    assert lake.batches() == ["b00001"]
    assert lake.batch("b00001") == batch
    other = Batch("b00001", (Source("z.mp4", "z", "e" * 64, 1, {}),))
    with pytest.raises(BatchError, match="late videos"):
        lake.seal(other)
    moved = Batch("b00001", tuple(Source(s.name, "/elsewhere", s.sha256, s.size_bytes, s.side_files) for s in sources))
    assert moved.recipe == batch.recipe, "where a video lies must not enter a hash"
    with pytest.raises(BatchError, match="never sealed"):
        lake.batch("b00009")


def test_addresses_cannot_leave_the_lake(tmp_path: Path) -> None:
    with pytest.raises(ManifestError):
        Handle("../raw", "all", "x", "a" * 64, 0)
