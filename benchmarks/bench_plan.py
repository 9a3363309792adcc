"""How long it takes to plan the recipe table of the published size: 96,000 rows, shared by row number over processes.

Usage: .venv/bin/python benchmarks/bench_plan.py [rows] [processes]
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from g2w.synth.recipe import sample_recipes
from g2w.ui.draw import starter_library
from g2w.ui.library import read_library, write_library

PIECE = 2000
CLIPS = [
    {"clip_id": f"clip{k:04d}", "game": f"game{k % 40:02d}", "split": "train", "num_frames": 150} for k in range(500)
]


def plan(folder: str, first: int, count: int) -> tuple[str, int, int]:
    """(digest of the pair ids, elements, elements without a place) of some rows."""
    rows: list[dict[str, Any]] = sample_recipes(
        CLIPS, read_library(folder), count=count, first=first, seed=0, split="train"
    )
    digest = hashlib.sha256("".join(row["pair_id"] for row in rows).encode()).hexdigest()
    return digest, sum(row["num_elements"] for row in rows), sum(row["num_dropped"] for row in rows)


def main() -> None:
    """Print the wall time, the CPU time of a row, and that one process plans the same rows."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 96_000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as folder:
        write_library(starter_library("a", 0), Path(folder))
        starts = range(0, count, PIECE)
        began = time.perf_counter()
        with ProcessPoolExecutor(processes) as pool:
            pieces = list(
                pool.map(plan, [folder] * len(starts), starts, [min(PIECE, count - first) for first in starts])
            )
        wall = time.perf_counter() - began
        began = time.process_time()
        same = plan(folder, starts[-1], min(PIECE, count - starts[-1])) == pieces[-1]
        alone = (time.process_time() - began) / min(PIECE, count - starts[-1])
    kept, dropped = (sum(piece[k] for piece in pieces) for k in (1, 2))
    print(f"{count} rows on {processes} processes: {wall:.1f} s, {1e3 * alone:.2f} ms of CPU a row in one process")
    print(f"the same rows in another process: {'equal' if same else 'DIFFERENT'}")
    print(f"{kept / count:.2f} elements a row, {100 * dropped / (kept + dropped):.2f} % without a free place")


if __name__ == "__main__":
    main()
