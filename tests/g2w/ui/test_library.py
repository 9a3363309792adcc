from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from g2w.ui.detect import propose
from g2w.ui.draw import draw_asset
from g2w.ui.library import ASSET_SCHEMA, build_library, checkerboard, library_sheet, read_library, write_library
from g2w.ui.taxonomy import load_taxonomy


@pytest.fixture(scope="module")
def built(scene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    base = {"clip_id": "c", "game": "MAP01", "licence": "BSD-3-Clause"}
    rows = [{**row, **base, "split": "train"} for row in propose(scene.path)]
    rows += [
        {**rows[0], "clip_id": "z", "game": "E1M1", "split": "bench"},
        {**rows[0], "clip_id": "w", "anchor": "world_projected"},
        *({**row, "clip_id": "d", "game": "MAP02", "confidence": 0.0} for row in rows),
    ]
    build_library(rows, {"c": scene.path, "d": scene.path}, folder)
    return folder


def test_every_row_has_its_picture_and_its_origin(built: Path) -> None:
    rows = read_library(built)
    assert set(rows[0]) == set(ASSET_SCHEMA.names)
    for row in rows:
        if row["verdict"] == "rejected":
            assert row["path"] == "" and row["reason"]
            continue
        with Image.open(built / row["path"]) as picture:
            assert picture.mode == "RGBA" and picture.size == (row["w"], row["h"] * row["num_states"])
        assert row["licence"] and row["attribution"] and row["accepted_by"]
    assert {row["cls"] for row in rows if row["style_set"] == "b"} == set(load_taxonomy().names)
    assert {row["source"] for row in rows} == {"drawn", "extracted"}


def test_anchor_and_extent_are_known_for_every_row(built: Path) -> None:
    rows = read_library(built)
    other = [row for row in rows if row["anchor"] != "screen"]
    assert [(row["source_ref"][:2], row["anchor"], row["reason"]) for row in other] == [
        ("w:", "world_projected", "not_screen_anchored")
    ]
    for row in rows:
        assert row["extent"] == pytest.approx(row["w"] * row["h"] / (1280 * 720), rel=1e-6) and 0 < row["extent"] < 1


def test_the_same_element_of_another_game_is_merged_and_named(built: Path) -> None:
    rows = read_library(built)
    cut = {row["asset_id"] for row in rows if row["source"] == "extracted" and row["path"]}
    merged = [row for row in rows if row["reason"] == "near_duplicate"]
    assert merged and {row["source_ref"][:2] for row in merged} == {"d:"}
    assert {row["duplicate_of"] for row in merged} == cut
    assert all(row["duplicate_of"] is None for row in rows if row["path"])


def test_the_licences_are_listed(built: Path) -> None:
    listed = json.loads((built / "licences.json").read_text(encoding="utf-8"))
    kept = [row for row in read_library(built) if row["path"]]
    assert sum(row["num_assets"] for row in listed) == len(kept)
    assert {row["licence"] for row in listed} == {"Apache-2.0", "BSD-3-Clause"}
    assert [row["attribution"] for row in listed if row["source"] == "extracted"] == ["cut from MAP01"]


def test_benchmark_footage_adds_nothing(built: Path) -> None:
    rows = [row for row in read_library(built) if row["source_ref"].startswith("z:")]
    assert [(row["verdict"], row["reason"]) for row in rows] == [("rejected", "not_train_split")]
    assert all(row["style_set"] == "a" for row in read_library(built) if row["source"] == "extracted" and row["path"])


def test_the_same_assets_give_the_same_bytes(tmp_path: Path) -> None:
    assets = [draw_asset(cls, "b", 0, 0) for cls in ("crosshair", "subtitle")]
    write_library(assets, tmp_path / "1")
    write_library([*reversed(assets), assets[0]], tmp_path / "2")
    files = sorted(path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.p*") if path.is_file())
    assert len(files) == 3
    assert all((tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes() for name in files)


def test_the_sheet_shows_transparency(built: Path) -> None:
    sheet = library_sheet(built, per_class=1)
    assert sheet.dtype == np.uint8 and sheet.shape[2] == 3 and min(sheet.shape[:2]) > 300
    clear = checkerboard(np.zeros((16, 16, 4), np.uint8))
    assert set(np.unique(clear)) == {96, 144}
    with pytest.raises(FileNotFoundError, match=r"assets\.parquet is missing"):
        read_library(built / "png")
