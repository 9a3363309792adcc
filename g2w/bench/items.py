"""A benchmark set on disk: a folder with videos, masks, `items.parquet` and `elements.parquet`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from g2w.bench.judge import CANVAS, Scene, SceneElement
from g2w.bench.sampling import sample_times, sampled_frames

ITEMS = "items.parquet"
ELEMENTS = "elements.parquet"
MASK_LEVEL = 5
"""Mask values above this belong to an element: alpha over 0.02."""

ITEMS_SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("suite", pa.string()),
        ("game", pa.string()),
        ("clip_id", pa.string()),
        ("ui_file", pa.string()),
        ("clean_file", pa.string()),
        ("mask_file", pa.string()),
        ("ui_sha256", pa.string()),
        ("clean_sha256", pa.string()),
        ("source_sha256", pa.string()),
        ("num_frames", pa.int32()),
        ("fps", pa.float64()),
        ("num_elements", pa.int32()),
    ]
)
"""Files are relative to the folder that holds all sets, e.g. `game2world_gt/<item_id>.ui.mp4`."""

ELEMENTS_SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("frame_index", pa.int32()),
        ("t_ms", pa.int32()),
        ("sampled", pa.bool_()),
        ("element_id", pa.string()),
        ("track_id", pa.string()),
        ("cls", pa.string()),
        ("x", pa.int32()),
        ("y", pa.int32()),
        ("w", pa.int32()),
        ("h", pa.int32()),
        ("visible", pa.bool_()),
        ("hidden_reason", pa.string()),
    ]
)
"""A row per element and frame. `visible` is judged; anything else says why not (see `g2w.bench.visibility`)."""


def read_items(sets_dir: str | Path) -> list[dict[str, Any]]:
    """Items of every set under a folder, in order of suite and item."""
    rows = [row for path in sorted(Path(sets_dir).glob(f"*/{ITEMS}")) for row in pq.read_table(path).to_pylist()]
    return sorted(rows, key=lambda row: (row["suite"], row["item_id"]))


def read_elements(sets_dir: str | Path, item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Element rows of one item, by frame."""
    path = Path(sets_dir) / str(item["suite"]) / ELEMENTS
    table = pq.read_table(path, filters=[("item_id", "=", item["item_id"])])
    return table.to_pylist()


def write_set(out_dir: Path, items: Sequence[Mapping[str, Any]], elements: Sequence[Mapping[str, Any]]) -> None:
    """Write both tables of a set; an empty set has empty tables."""
    out_dir.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(items), schema=ITEMS_SCHEMA), out_dir / ITEMS, compression="zstd")
    pq.write_table(pa.Table.from_pylist(list(elements), schema=ELEMENTS_SCHEMA), out_dir / ELEMENTS, compression="zstd")


def item_times(item: Mapping[str, Any]) -> list[float]:
    """Seconds at which an item is judged."""
    return sample_times(int(item["num_frames"]), float(item["fps"]))


def iter_item_masks(sets_dir: str | Path, item: Mapping[str, Any]) -> Iterator[np.ndarray]:
    """Union of the true element masks of every frame, uint8 (720, 1280), alpha coverage 0..255."""
    from g2w.video.masks import iter_masks

    return iter_masks(Path(sets_dir) / str(item["mask_file"]))


def boxes_by_frame(rows: Sequence[Mapping[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """Element rows grouped by frame index."""
    grouped: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[int(row["frame_index"])].append(dict(row))
    return grouped


def scene_of(
    source: np.ndarray, clean: np.ndarray | None, mask: np.ndarray | None, rows: Sequence[Mapping[str, Any]]
) -> Scene:
    """Scene of one frame from its element rows: visible ones are judged, others are neither judged nor background."""
    elements, ignored = [], []
    for row in rows:
        box = clip_box(row)
        if box is None:
            continue
        if row["visible"]:
            x, y, w, h = box
            own = (
                np.where(mask[y : y + h, x : x + w] > MASK_LEVEL, 255, 0).astype(np.uint8) if mask is not None else None
            )
            elements.append(SceneElement(str(row["element_id"]), str(row["cls"]), box, own))
        else:
            ignored.append(box)
    return Scene(source, clean, tuple(elements), tuple(ignored))


def clip_box(row: Mapping[str, Any]) -> tuple[int, int, int, int] | None:
    """Box of a row cut to the canvas; None if nothing is left."""
    left, top = max(0, int(row["x"])), max(0, int(row["y"]))
    right, bottom = min(CANVAS[0], int(row["x"]) + int(row["w"])), min(CANVAS[1], int(row["y"]) + int(row["h"]))
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def iter_scenes(sets_dir: str | Path, item: Mapping[str, Any]) -> Iterator[tuple[int, Scene, list[dict[str, Any]]]]:
    """(frame index, scene, element rows that are judged) at every judged moment of an item; truth is decoded once.

    Raises:
        ValueError: if a video of the set does not reach a judged moment.
    """
    root, times = Path(sets_dir), item_times(item)
    grouped = boxes_by_frame(read_elements(sets_dir, item))
    indices = [round(t * float(item["fps"])) for t in times]
    wanted = set(indices)
    masks = (m for i, m in enumerate(iter_item_masks(sets_dir, item)) if i in wanted)
    sources = sampled_frames(root / str(item["ui_file"]), times)
    cleans = sampled_frames(root / str(item["clean_file"]), times)
    for index, source, clean, mask in zip(indices, sources, cleans, masks, strict=True):
        if source is None or clean is None:
            raise ValueError(
                f"{item['suite']}/{item['item_id']}: its own videos have no frame {index}: build the set again"
            )
        rows = grouped.get(index, [])
        judged = [row for row in rows if row["visible"] and clip_box(row) is not None]
        yield index, scene_of(source, clean, mask, rows), judged
