"""Side tables of a video, cut and resampled with it: the row of a frame stays the row of that frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

KEYS = ("w", "a", "s", "d", "attack", "use", "sprint")
TURNS = ("mouse_dx", "mouse_dy")
POSE = ("x", "y", "z", "yaw", "pitch")
ACTIONS_SCHEMA = pa.schema(
    [
        ("frame_index", pa.int32()),
        *((key, pa.bool_()) for key in KEYS),
        *((name, pa.float32()) for name in (*TURNS, *POSE)),
        ("valid", pa.bool_()),
    ]
)
ELEMENTS_SCHEMA = pa.schema(
    [
        ("frame_index", pa.int32()),
        ("element_id", pa.string()),
        ("cls", pa.string()),
        ("x", pa.int32()),
        ("y", pa.int32()),
        ("w", pa.int32()),
        ("h", pa.int32()),
        ("visible", pa.bool_()),
    ]
)


class SideTableError(ValueError):
    """A side table that does not have the columns it needs."""


@dataclass(frozen=True)
class Placement:
    """Where a source picture lies in a clip: scaled by (scale_x, scale_y), then moved by (left, top) pixels."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    left: int = 0
    top: int = 0


def align_actions(path: str | Path, frames: Sequence[int]) -> pa.Table:
    """Actions of a clip whose frame i shows source frame `frames[i]` (ascending).

    Row i holds what was applied between clip frames i and i + 1: keys pressed at any time, turns summed, the pose at
    the start. Where the source has no valid row for all of that span, `valid` is False and the values are zero.

    Raises:
        SideTableError: if a column is missing or has a type that does not fit.
    """
    source = _read(path, ACTIONS_SCHEMA)
    length = max(len(source), max(frames) + 2)
    index = source["frame_index"].to_numpy()
    inside = (index >= 0) & (index < length)
    columns = {}
    for name in (*KEYS, *TURNS, *POSE, "valid"):
        values = source[name].to_numpy(zero_copy_only=False)
        dense = np.zeros(length, values.dtype if values.dtype != object else bool)
        dense[index[inside]] = values[inside]
        columns[name] = dense
    starts = np.asarray(frames, np.int64)
    # The last frame's action runs to where the next frame would have been taken.
    step = int(starts[-1] - starts[-2]) if len(starts) > 1 else 1
    stops = np.append(starts[1:], starts[-1] + max(1, step))
    out: dict[str, np.ndarray] = {"frame_index": np.arange(len(starts), dtype=np.int32)}
    present = np.zeros(length, bool)
    present[index[inside]] = True
    valid = _all(columns["valid"].astype(bool) & present, starts, stops)
    for name in KEYS:
        out[name] = (_sum(columns[name].astype(np.int64), starts, np.maximum(stops, starts + 1)) > 0) & valid
    for name in TURNS:
        out[name] = np.where(valid, _sum(columns[name].astype(np.float64), starts, stops), 0.0)
    for name in POSE:
        out[name] = np.where(valid, columns[name][np.minimum(starts, length - 1)], 0.0)
    return pa.table({**out, "valid": valid}).cast(ACTIONS_SCHEMA)


def align_elements(path: str | Path, frames: Sequence[int], placement: Placement) -> pa.Table:
    """Boxes of interface elements of a clip whose frame i shows source frame `frames[i]`, in clip pixels.

    Raises:
        SideTableError: if a column is missing or has a type that does not fit.
    """
    source = _read(path, ELEMENTS_SCHEMA)
    order = np.argsort(source["frame_index"].to_numpy(), kind="stable")
    source = source.take(pa.array(order))
    index = source["frame_index"].to_numpy()
    first, last = np.searchsorted(index, frames, "left"), np.searchsorted(index, frames, "right")
    rows = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)]).astype(np.int64)
    clip_index = np.repeat(np.arange(len(frames)), last - first).astype(np.int32)
    taken = source.take(pa.array(rows, pa.int64()))
    left, top = taken["x"].to_numpy(), taken["y"].to_numpy()
    right, bottom = left + taken["w"].to_numpy(), top + taken["h"].to_numpy()
    x, right = (np.rint(v * placement.scale_x + placement.left) for v in (left, right))
    y, bottom = (np.rint(v * placement.scale_y + placement.top) for v in (top, bottom))
    return pa.table(
        {
            "frame_index": clip_index,
            "element_id": taken["element_id"],
            "cls": taken["cls"],
            "x": x,
            "y": y,
            "w": right - x,
            "h": bottom - y,
            "visible": taken["visible"],
        }
    ).cast(ELEMENTS_SCHEMA)


def _read(path: str | Path, schema: pa.Schema) -> pa.Table:
    try:
        table = pq.read_table(path)
        missing = [name for name in schema.names if name not in table.column_names]
        if missing:
            raise SideTableError(f"{path}: missing columns {', '.join(missing)}; it needs {', '.join(schema.names)}")
        table = table.select(schema.names).cast(schema).combine_chunks()
        if any(column.null_count for column in table.columns):
            raise SideTableError(f"{path}: has empty cells; every column needs a value in every row")
        return table
    except (pa.ArrowException, OSError) as error:
        raise SideTableError(f"{path}: not a table of the columns {', '.join(schema.names)}: {error}") from error


def _sum(values: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    total = np.concatenate([[0], np.cumsum(values)])
    last = len(values)
    return total[np.minimum(stops, last)] - total[np.minimum(starts, last)]


def _all(values: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """True where every value of a span is, and the span lies inside; a held frame (empty span) looks at its own row."""
    stops = np.maximum(stops, starts + 1)
    return (stops <= len(values)) & (_sum(values.astype(np.int64), starts, stops) == stops - starts)
