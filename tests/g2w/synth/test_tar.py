from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
import webdataset

from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.synth.tar import write_shards
from g2w.synth.write import render_pair

Library = tuple[Path, list[dict[str, Any]]]
Rendered = tuple[Path, list[dict[str, Any]], dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def rendered(library: Library, clean_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    clip = [{"clip_id": "c", "game": "MAP01", "split": "train", "num_frames": 24}]
    config = SynthConfig(num_frames=12).without("codec")
    recipes = sample_recipes(clip, library[1], count=3, seed=5, split="train", config=config)
    folder = tmp_path_factory.mktemp("rendered")
    rows = [render_pair(row, clean_clip, library[0], folder, preset="ultrafast") for row in recipes]
    return folder, [{**row, "verdict": "ok"} for row in rows], {row["pair_id"]: row for row in recipes}


def test_a_reader_of_webdataset_finds_every_pair_whole(rendered: Rendered, clean_clip: Path, tmp_path: Path) -> None:
    folder, rows, recipes = rendered
    bad = {"pair_id": "x", "verdict": "rejected"}
    written = write_shards([*rows, bad], recipes, folder, tmp_path, clips={"c": clean_clip})
    assert [row["shard"] for row in written] == ["pairs-000000.tar"] * 3
    samples = list(webdataset.WebDataset(str(tmp_path / "pairs-000000.tar"), shardshuffle=False))
    assert [sample["__key__"] for sample in samples] == [row["pair_id"] for row in rows]
    for sample, row in zip(samples, rows, strict=True):
        for kind, ending in (("ui", "ui.mp4"), ("masks", "masks.parquet"), ("boxes", "boxes.parquet")):
            assert hashlib.sha256(sample[ending]).hexdigest() == row[f"{kind}_sha256"]
        assert sample["clip.mp4"] == clean_clip.read_bytes()
        card = json.loads(sample["json"])
        assert card["recipe"] == recipes[row["pair_id"]] and card["clip_id"] == "c"


def test_shards_close_before_they_grow_too_big_and_repeat_byte_for_byte(rendered: Rendered, tmp_path: Path) -> None:
    folder, rows, recipes = rendered
    seen: list[tuple[int, int]] = []
    for name in ("1", "2"):
        write_shards(rows, recipes, folder, tmp_path / name, shard_bytes=1, progress=lambda d, t: seen.append((d, t)))
    assert seen[:3] == [(1, 3), (2, 3), (3, 3)]
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert names == [f"pairs-{k:06d}.tar" for k in range(3)]
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
        with tarfile.open(tmp_path / "1" / name) as tar:
            assert all(member.mtime == 0 and not member.uname for member in tar)
    sizes = [(tmp_path / "1" / name).stat().st_size for name in names]
    two = write_shards(rows, recipes, folder, tmp_path / "3", shard_bytes=sizes[0] + sizes[1])
    assert [row["shard"] for row in two] == ["pairs-000000.tar", "pairs-000000.tar", "pairs-000001.tar"]


def test_what_is_missing_is_named_and_nothing_half_written_stays(rendered: Rendered, tmp_path: Path) -> None:
    folder, rows, recipes = rendered
    with pytest.raises(KeyError, match="has no recipe"):
        write_shards(rows, {}, folder, tmp_path)
    with pytest.raises(KeyError, match="which was not given"):
        write_shards(rows, recipes, folder, tmp_path, clips={})
    with pytest.raises(ValueError, match="at least one rendered pair"):
        write_shards([], recipes, folder, tmp_path)
    with pytest.raises(FileNotFoundError):
        write_shards([{**rows[0], "masks": "gone.parquet"}], recipes, folder, tmp_path)
    assert not list(tmp_path.iterdir())
