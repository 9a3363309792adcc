"""The page of a UI library: every asset on a checkerboard, to filter, search, sort and look at in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from g2w.pages.site import copy_assets, place, write_page
from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.library import read_library
from g2w.ui.licences import licences_of
from g2w.ui.taxonomy import load_taxonomy

INDEX = "index.html"
PICTURES = "png"
# cut elements of a game get a theme of this prefix, see g2w.ui.extract
_CUT_PREFIX = "x-"
_SHOWN = (
    *("asset_id", "cls", "style_set", "theme", "source_ref", "x", "y", "w", "h", "extent", "num_states", "blend"),
    *("content", "persistence", "anchor", "licence", "attribution", "verdict", "reason", "duplicate_of", "accepted_by"),
    *("confidence", "alpha_error"),
)
# long texts that most assets share: written once, and a number in each row
_SHARED = ("licence", "attribution", "accepted_by")


def write_library_page(out_dir: str | Path, library_dir: str | Path, *, snapshot: str) -> tuple[Path, int]:
    """Write the page of a library folder (`g2w.ui.library`); the same inputs give the same page.

    Args:
        out_dir: folder to write to; files of the same name are replaced.
        library_dir: folder of the library; its pictures are linked or copied.
        snapshot: name of the snapshot that the library comes from.

    Returns:
        The path of the page and the number of its rows.

    Raises:
        FileNotFoundError: if there is no library in the folder, or it lacks a picture that its table names.
    """
    out, rows = Path(out_dir), read_library(library_dir)
    copy_assets(out, "pages.css", "library.css", "library.js", "library_view.js")
    table = library_table(rows, _place_pictures(rows, Path(library_dir), out))
    facets = {
        "theme": sorted({row["theme"] for row in rows if row["theme"]}),
        "style_set": sorted({row["style_set"] for row in rows if row["style_set"]}),
        "verdict": sorted({row["verdict"] for row in rows}),
        "origin": list(dict.fromkeys(["drawn", "cut", *sorted(map(origin_of, rows))])),
    }
    names = load_taxonomy().names
    classes = sorted(
        {row["cls"] for row in rows}, key=lambda name: (name not in names, (*names, name).index(name), name)
    )
    context = {"table": table, "facets": facets, "classes": classes, "num_rows": len(rows), "snapshot": snapshot}
    context["licences"] = licences_of(rows)
    write_page(out / INDEX, "library.html.j2", context)
    return out / INDEX, len(rows)


def _place_pictures(rows: Sequence[Mapping[str, Any]], library_dir: Path, out: Path) -> list[str]:
    """Names of the pictures beside the page, "" where a row has none. Names of our own stay in the folder, ids may not."""
    files = [f"{PICTURES}/{number:05d}.png" if row["path"] else "" for number, row in enumerate(rows)]
    for row, file in zip(rows, files, strict=True):
        if file:
            place(library_dir / row["path"], out / file)
    return files


def origin_of(row: Mapping[str, Any]) -> str:
    """Where an asset comes from: "drawn", "cut", or "cut: GAME" where the game is known."""
    if row["source"] != "extracted":
        return "drawn"
    game = row["theme"].removeprefix(_CUT_PREFIX) if row["theme"].startswith(_CUT_PREFIX) else ""
    return f"cut: {game}" if game else "cut"


def library_table(rows: Sequence[Mapping[str, Any]], files: Sequence[str]) -> dict[str, Any]:
    """Rows as JSON for the page: names of the columns, arrays of values, the shared texts, the screen's size."""
    texts: dict[str, int] = {}

    def value(row: Mapping[str, Any], name: str) -> Any:
        if name in _SHARED:
            return texts.setdefault(row[name] or "", len(texts))
        found = row[name]
        return round(found, 4) if isinstance(found, float) else found

    values = [
        [*(value(row, name) for name in _SHOWN), origin_of(row), file] for row, file in zip(rows, files, strict=True)
    ]
    return {
        "columns": [*_SHOWN, "origin", "file"],
        "shared": list(_SHARED),
        "rows": values,
        "texts": list(texts),
        "screen": [WIDTH, HEIGHT],
    }
