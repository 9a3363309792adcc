from __future__ import annotations

from pathlib import Path

import pytest

from g2w.lineage.audit import audit
from g2w.lineage.batch import Batch, describe_sources
from g2w.lineage.lake import Lake, Snapshot
from g2w.lineage.work import open_workspace


def publish(lake: Lake, asset: str, partition: str, recipe: dict, parents: dict) -> Snapshot:
    work = open_workspace(lake, asset, partition, recipe=recipe, code_version="1", parents=parents, run="r" * 20)
    (work.path / "payload.bin").write_bytes(asset.encode())
    rows = work.write_table([{"asset": asset}])
    return work.publish(rows=rows, summary={"rejected": 0}, run_facts={"git": {"commit": "c0ffee", "dirty": False}})


@pytest.fixture
def chain(tmp_path: Path) -> tuple[Lake, Snapshot]:
    """Two source videos -> raw/videos -> raw/clips -> bench/removal."""
    lake = Lake(str(tmp_path / "lake"))
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for name in ("one.mp4", "two.mp4"):
        (inbox / name).write_bytes(name.encode() * 100)
    batch = Batch("b00001", describe_sources(inbox.glob("*.mp4")))
    lake.seal(batch)
    videos = publish(lake, "raw/videos", "b00001", dict(batch.recipe), {})
    clips = publish(lake, "raw/clips", "b00001", {}, {"raw/videos": {"b00001": videos.manifest_sha256}})
    scores = publish(lake, "bench/removal", "all", {}, {"raw/clips": {"b00001": clips.manifest_sha256}})
    return lake, scores


def flip_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def test_an_intact_chain_ends_at_the_source_hashes(chain: tuple[Lake, Snapshot]) -> None:
    lake, scores = chain
    result = audit(lake, scores)
    assert result.ok
    assert [node.asset for node in result.nodes()] == ["bench/removal", "raw/clips", "raw/videos"]
    assert [source["name"] for source in result.sources] == ["one.mp4", "two.mp4"]
    assert result.root.run_facts["git"] == {"commit": "c0ffee", "dirty": False}


def test_one_flipped_byte_in_any_link_is_found(chain: tuple[Lake, Snapshot], tmp_path: Path) -> None:
    lake, scores = chain
    links = [
        p for p in (tmp_path / "lake").rglob("*") if p.is_file() and "_batches" not in p.parts and p.name != "_run.json"
    ]
    links += sorted((tmp_path / "inbox").glob("*.mp4"))
    assert len(links) == 3 * 3 + 2
    for link in links:
        whole = link.read_bytes()
        flip_byte(link)
        if link == lake.local_root / scores.path / "_manifest.json":
            with pytest.raises(Exception, match="manifest"):
                lake.open(scores.handle)
        else:
            assert not audit(lake, scores).ok, f"a flipped byte in {link} was not noticed"
        link.write_bytes(whole)
    assert audit(lake, scores).ok


def test_missing_links_are_named(chain: tuple[Lake, Snapshot], tmp_path: Path) -> None:
    lake, scores = chain
    (tmp_path / "inbox" / "one.mp4").unlink()
    problems = audit(lake, scores).problems
    assert [p.what for p in problems] == ["source video is gone"]
    clips = next((tmp_path / "lake/raw/clips/b00001").iterdir())
    (clips / "_manifest.json").unlink()
    assert any("raw/clips" in p.where and "no snapshot" in p.what for p in audit(lake, scores).problems)
