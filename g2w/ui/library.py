"""The UI library: a folder with `assets.parquet` and `png/<asset_id>.png` (RGBA, straight alpha, states stacked)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from g2w.ui.draw import Asset
from g2w.ui.taxonomy import load_taxonomy

TABLE = "assets.parquet"
ASSET_SCHEMA = pa.schema([
    ("asset_id", pa.string()), ("cls", pa.string()), ("style_set", pa.string()), ("theme", pa.string()),
    ("source", pa.string()), ("source_ref", pa.string()), ("x", pa.int32()), ("y", pa.int32()), ("w", pa.int32()),
    ("h", pa.int32()), ("num_states", pa.int32()), ("blend", pa.string()), ("content", pa.string()),
    ("persistence", pa.string()), ("licence", pa.string()), ("attribution", pa.string()), ("verdict", pa.string()),
    ("reason", pa.string()), ("accepted_by", pa.string()), ("confidence", pa.float32()), ("alpha_error", pa.float32()),
    ("path", pa.string()),
])  # fmt: skip


def asset_row(asset: Asset, *, verdict: str = "accepted", reason: str | None = None) -> dict[str, Any]:
    """The table row of an asset; blend, content and persistence come from its class."""
    ui_class = load_taxonomy()[asset.cls]
    return {
        "asset_id": asset.asset_id, "cls": asset.cls, "style_set": asset.style_set, "theme": asset.theme,
        "source": asset.source, "source_ref": asset.source_ref, "x": asset.x, "y": asset.y, "w": asset.width,
        "h": asset.height, "num_states": asset.num_states, "blend": ui_class.blend, "content": ui_class.content,
        "persistence": ui_class.persistence, "licence": asset.licence, "attribution": asset.attribution,
        "verdict": verdict, "reason": reason, "accepted_by": asset.accepted_by, "confidence": asset.confidence,
        "alpha_error": asset.alpha_error, "path": f"png/{asset.asset_id}.png",
    }  # fmt: skip


def write_library(assets: Iterable[Asset], out_dir: str | Path, *, more_rows: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Write pictures and table; identical pictures are kept once. Returns the rows, sorted by asset_id.

    `more_rows` are rows without an accepted picture (needs_review, rejected), kept with their reason.
    """
    out = Path(out_dir)
    (out / "png").mkdir(parents=True, exist_ok=True)
    rows: dict[str, dict[str, Any]] = {}
    for asset in assets:
        if asset.asset_id not in rows:
            rows[asset.asset_id] = asset_row(asset)
            (out / "png" / f"{asset.asset_id}.png").write_bytes(asset.png())
    table = [*(rows[key] for key in sorted(rows)), *more_rows]
    pq.write_table(pa.Table.from_pylist(table, schema=ASSET_SCHEMA), out / TABLE, compression="zstd")
    return table


def read_library(library_dir: str | Path) -> list[dict[str, Any]]:
    """Rows of a library folder.

    Raises:
        FileNotFoundError: if the folder holds no `assets.parquet`.
    """
    path = Path(library_dir) / TABLE
    if not path.is_file():
        raise FileNotFoundError(f"{library_dir} is no UI library: {TABLE} is missing")
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows
