"""The table behind the page of a library."""

from __future__ import annotations

from pathlib import Path

import pytest

from g2w.pages.library import library_table, origin_of, write_library_page
from g2w.ui.draw import starter_library
from g2w.ui.library import asset_row, write_library


def test_an_origin_is_drawn_or_cut_from_a_game() -> None:
    assert origin_of({"source": "drawn", "theme": "a00"}) == "drawn"
    assert origin_of({"source": "extracted", "theme": "x-MAP/01"}) == "cut: MAP/01"
    assert origin_of({"source": "extracted", "theme": ""}) == "cut"


def test_shared_texts_are_written_once() -> None:
    rows = [asset_row(asset) for asset in starter_library("a", 0, num_variants=1)[:5]]
    table = library_table(rows, [f"png/{k}.png" for k in range(5)])
    assert len(table["rows"]) == 5 and len(table["texts"]) == len(set(table["texts"])) <= 3
    first = dict(zip(table["columns"], table["rows"][0], strict=True))
    assert first["asset_id"] == rows[0]["asset_id"] and first["file"] == "png/0.png"
    assert table["texts"][first["attribution"]] == rows[0]["attribution"]
    assert first["anchor"] == "screen" and first["duplicate_of"] is None
    assert first["extent"] == pytest.approx(rows[0]["extent"], abs=5e-5)


def test_files_get_names_of_our_own(tmp_path: Path) -> None:
    write_library(starter_library("a", 0, num_variants=1)[:4], tmp_path / "library")
    index, count = write_library_page(tmp_path / "site", tmp_path / "library", snapshot="s")
    names = sorted(path.name for path in (tmp_path / "site" / "png").iterdir())
    assert index.is_file() and names == [f"{k:05d}.png" for k in range(count)]
    assert "DejaVu (Bitstream Vera licence" in index.read_text(encoding="utf-8"), "the licences are listed"
    with pytest.raises(FileNotFoundError, match="no UI library"):
        write_library_page(tmp_path / "none", tmp_path, snapshot="s")
