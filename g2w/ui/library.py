"""The UI library: a folder with `assets.parquet`, `png/<asset_id>.png` (RGBA, straight alpha, states stacked) and
`licences.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.draw import Asset, starter_library
from g2w.ui.extract import ExtractConfig, Extraction, extract
from g2w.ui.licences import LICENCES, licences_of
from g2w.ui.similar import merge_similar
from g2w.ui.taxonomy import load_taxonomy
from g2w.video.sheet import contact_sheet

TABLE = "assets.parquet"
ASSET_SCHEMA = pa.schema(
    [
        ("asset_id", pa.string()),
        ("cls", pa.string()),
        ("style_set", pa.string()),
        ("theme", pa.string()),
        ("source", pa.string()),
        ("source_ref", pa.string()),
        ("x", pa.int32()),
        ("y", pa.int32()),
        ("w", pa.int32()),
        ("h", pa.int32()),
        ("extent", pa.float32()),
        ("num_states", pa.int32()),
        ("blend", pa.string()),
        ("content", pa.string()),
        ("persistence", pa.string()),
        ("anchor", pa.string()),
        ("licence", pa.string()),
        ("attribution", pa.string()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("duplicate_of", pa.string()),
        ("accepted_by", pa.string()),
        ("confidence", pa.float32()),
        ("alpha_error", pa.float32()),
        ("path", pa.string()),
    ]
)


def asset_row(asset: Asset, *, verdict: str = "accepted", reason: str | None = None) -> dict[str, Any]:
    """The table row of an asset; blend, content, persistence and anchor come from its class. `extent` is the share of the
    picture (1280x720) that its box covers, 0..1."""
    ui_class = load_taxonomy()[asset.cls]
    return {
        "asset_id": asset.asset_id,
        "cls": asset.cls,
        "style_set": asset.style_set,
        "theme": asset.theme,
        "source": asset.source,
        "source_ref": asset.source_ref,
        "x": asset.x,
        "y": asset.y,
        "w": asset.width,
        "h": asset.height,
        "extent": _extent(asset.width, asset.height),
        "num_states": asset.num_states,
        "blend": ui_class.blend,
        "content": ui_class.content,
        "persistence": ui_class.persistence,
        "anchor": ui_class.anchor,
        "licence": asset.licence,
        "attribution": asset.attribution,
        "verdict": verdict,
        "reason": reason,
        "duplicate_of": None,
        "accepted_by": asset.accepted_by,
        "confidence": asset.confidence,
        "alpha_error": asset.alpha_error,
        "path": f"png/{asset.asset_id}.png",
    }


def write_library(
    assets: Iterable[Asset], out_dir: str | Path, *, extractions: Sequence[Extraction] = ()
) -> list[dict[str, Any]]:
    """Write pictures, table and licences; identical pictures are kept once. Returns the rows, sorted by verdict and asset_id.

    Elements that wait for review keep their picture; rejected ones are rows with their reason and an empty path.
    """
    out = Path(out_dir)
    (out / "png").mkdir(parents=True, exist_ok=True)
    rows: dict[str, dict[str, Any]] = {}
    cut = [
        (item.asset, item.verdict, str(item.reason) if item.reason else None)
        for item in extractions
        if item.asset is not None
    ]
    for asset, verdict, reason in [*((asset, "accepted", None) for asset in assets), *cut]:
        if asset.asset_id not in rows:
            rows[asset.asset_id] = asset_row(asset, verdict=verdict, reason=reason)
            (out / "png" / f"{asset.asset_id}.png").write_bytes(asset.png())
    refused = [_refused_row(item) for item in extractions if item.asset is None]
    table = [*(rows[key] for key in sorted(rows)), *sorted(refused, key=lambda row: row["source_ref"])]
    pq.write_table(pa.Table.from_pylist(table, schema=ASSET_SCHEMA), out / TABLE, compression="zstd")
    (out / LICENCES).write_text(json.dumps(licences_of(table), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return table


def _extent(width: int, height: int) -> float:
    return width * height / (WIDTH * HEIGHT)


def _refused_row(item: Extraction) -> dict[str, Any]:
    p, ui_class = item.proposal, load_taxonomy()[item.proposal["cls"]]
    return {
        "asset_id": "",
        "cls": p["cls"],
        "style_set": "a" if p["split"] == "train" else "",
        "theme": "",
        "source": "extracted",
        "source_ref": f"{p['clip_id']}:{p['x']},{p['y']},{p['w']},{p['h']}",
        "x": p["x"],
        "y": p["y"],
        "w": p["w"],
        "h": p["h"],
        "extent": _extent(p["w"], p["h"]),
        "num_states": 0,
        "blend": ui_class.blend,
        "content": ui_class.content,
        "persistence": ui_class.persistence,
        "anchor": p["anchor"],
        "licence": p.get("licence") or "unknown",
        "attribution": "",
        "verdict": item.verdict,
        "reason": str(item.reason),
        "duplicate_of": item.duplicate_of,
        "accepted_by": "",
        "confidence": p["confidence"],
        "alpha_error": None,
        "path": "",
    }


def build_library(
    proposals: Sequence[Mapping[str, Any]],
    clip_paths: Mapping[str, str | Path],
    out_dir: str | Path,
    *,
    starter_sets: Sequence[str] = ("a", "b"),
    seed: int = 0,
    config: ExtractConfig | None = None,
) -> list[dict[str, Any]]:
    """The whole library: our drawings of the starter sets and what could be cut out of train footage.

    Args:
        proposals: rows of `propose` with clip_id, game, split, licence; above the thresholds of `config` they are
            accepted automatically and say so in `accepted_by`, below they are stored as `needs_review`. Cut elements that
            look the same are merged.
        clip_paths: clip_id -> canonical clip.

    Returns:
        The rows of `assets.parquet`.
    """
    drawn = [asset for style_set in starter_sets for asset in starter_library(style_set, seed)]
    config = config or ExtractConfig()
    cut = merge_similar(extract(proposals, clip_paths, config), config)
    return write_library(drawn, out_dir, extractions=cut)


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


def checkerboard(rgba: np.ndarray, *, cell: int = 8) -> np.ndarray:
    """A picture with alpha, uint8 (h, w, 4), shown on a gray checkerboard: uint8 RGB (h, w, 3)."""
    ys, xs = np.mgrid[: rgba.shape[0], : rgba.shape[1]]
    below = np.where(((ys // cell + xs // cell) % 2)[..., None], 96, 144).astype(np.float32)
    alpha = rgba[..., 3:].astype(np.float32) / 255
    return np.rint(rgba[..., :3] * alpha + below * (1 - alpha)).astype(np.uint8)


def library_sheet(library_dir: str | Path, *, per_class: int = 3, columns: int = 9) -> np.ndarray:
    """Contact sheet of the accepted assets by class, extracted ones first, uint8 RGB."""
    rows = [row for row in read_library(library_dir) if row["verdict"] == "accepted"]
    images, labels = [], []
    for cls in load_taxonomy().names:
        mine = [row for row in rows if row["cls"] == cls]
        mine.sort(key=lambda row: (row["source"] != "extracted", row["style_set"], row["theme"], row["asset_id"]))
        for row in mine[:per_class]:
            with Image.open(Path(library_dir) / row["path"]) as picture:
                strip = np.asarray(picture.convert("RGBA"))
            state = (row["num_states"] - 1) * 2 // 3
            images.append(checkerboard(strip[state * row["h"] : (state + 1) * row["h"]]))
            labels.append(f"{cls} {'cut' if row['source'] == 'extracted' else row['style_set']}")
    return contact_sheet(images, columns=columns, tile=(210, 130), labels=labels)
