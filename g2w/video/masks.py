"""Masks beside a video, in one Parquet table: a row for every change, planes as raw bytes, compressed without loss.

Not a video, on purpose. A lossless encoder walks through every block of every frame, though a mask is empty nearly everywhere
and often the same as in the frame before; and players take gray video for limited range, which alters its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ALPHA = "alpha"
IDS = "ids"
_HEAD = [(name, pa.int32()) for name in ("first_frame", "num_frames", "height", "width")]


class MaskWriter:
    """Appends the planes of a video frame by frame; planes that stay as they were cost nothing.

    A row holds `first_frame`, `num_frames` (how long it lasts), `height`, `width` and, in a column for each plane, its bytes
    row by row. Every row is a row group, so that a reader holds one at a time.

    Args:
        path: file to write; on an error nothing is left of it.
        width, height: size of the planes in pixels.
        planes: names of the columns.
    """

    def __init__(self, path: str | Path, *, width: int, height: int, planes: Sequence[str] = (ALPHA,)) -> None:
        self._path, self._shape, self._names = Path(path), (height, width), tuple(planes)
        self._schema = pa.schema([*_HEAD, *((name, pa.binary()) for name in self._names)])
        self._writer = pq.ParquetWriter(
            self._path,
            self._schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=False,
            write_statistics=["first_frame"],
        )
        self._held: list[np.ndarray] = []
        self._first = self._next = 0

    def write(self, *planes: np.ndarray) -> None:
        """Append one frame: a uint8 (height, width) array for each plane. Read-only ones are kept, others copied.

        Raises:
            ValueError: for another number of planes, another shape or dtype.
        """
        found = [(plane.shape, plane.dtype.name) for plane in planes]
        if found != [(self._shape, "uint8")] * len(self._names):
            wanted = f"{len(self._names)} planes ({', '.join(self._names)}) of uint8 {self._shape}"
            raise ValueError(f"{self._path}: frame {self._next} must be {wanted}, got {found}")
        if not self._held or not all(map(_same, planes, self._held)):
            self._flush()
            self._held = [plane.copy() if plane.flags.writeable else np.ascontiguousarray(plane) for plane in planes]
        self._next += 1

    def _flush(self) -> None:
        if self._next == self._first:
            return
        numbers = (self._first, self._next - self._first, *self._shape)
        columns = [*(pa.array([number], pa.int32()) for number in numbers), *map(_column, self._held)]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))
        self._first = self._next

    def close(self) -> None:
        """Write what is held and finish the file."""
        self._flush()
        self._writer.close()

    def __enter__(self) -> MaskWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._writer.close()
            self._path.unlink(missing_ok=True)


def iter_masks(path: str | Path, plane: str = ALPHA) -> Iterator[np.ndarray]:
    """Yield one plane for every frame, uint8 (height, width), exactly as written, read-only: the same array while nothing
    changes.

    Raises:
        ValueError: if the file has no such plane.
    """
    with pq.ParquetFile(path) as file:
        if plane not in file.schema_arrow.names:
            raise ValueError(f"{path}: has no plane {plane!r}, only {', '.join(file.schema_arrow.names[len(_HEAD) :])}")
        for group in range(file.num_row_groups):
            row = file.read_row_group(group, columns=["num_frames", "height", "width", plane])
            count, height, width = (row[name][0].as_py() for name in row.column_names[:3])
            mask = np.frombuffer(row[plane][0].as_buffer(), np.uint8).reshape(height, width)
            yield from repeat(mask, count)


def _same(plane: np.ndarray, held: np.ndarray) -> bool:
    return plane is held or np.array_equal(plane, held)


def _column(plane: np.ndarray) -> pa.Array:
    """One value that holds the bytes of the plane, without a copy."""
    ends = np.array([0, plane.nbytes], np.int32)
    return pa.Array.from_buffers(pa.binary(), 1, [None, pa.py_buffer(ends), pa.py_buffer(plane)])
