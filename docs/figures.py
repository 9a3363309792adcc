"""Makes docs/img/before_after.webp from the lake: input, both removers and the truth, on four items of the benchmark.

Usage: .venv/bin/python docs/figures.py  (after `make demo`; the graph's picture is taken by tests/jobs/test_ui_browser.py
with G2W_GRAPH_PICTURE=docs/img/graph.png)
"""

from __future__ import annotations

from pathlib import Path

from g2w.lineage.lake import Lake
from g2w.video.read import read_frames
from g2w.video.sheet import contact_sheet, save_webp
from g2w_assets import settings

COLUMNS = ("input", "lite", "diffusion", "truth")
NUM_ITEMS = 4
FRAME = 45
TILE = (480, 270)


def main() -> None:
    """Write the picture."""
    lake = Lake(settings.lake_root())
    sets, outputs = (lake.open(head) for key in ("bench/sets", "bench/outputs") if (head := lake.head(key, "all")))
    items = [row for row in sets.rows() if row["suite"] == "game2world_gt"][:NUM_ITEMS]
    files = {
        (row["item_id"], row["system"]): outputs.local(row["file"]) for row in outputs.rows() if row["status"] == "ok"
    }
    images = []
    for item in items:
        paths = [
            sets.local(item["ui_file"]),
            *(files[item["item_id"], name] for name in COLUMNS[1:3]),
            sets.local(item["clean_file"]),
        ]
        images += [read_frames(path, start=FRAME, stop=FRAME + 1)[0] for path in paths]
    sheet = contact_sheet(images, columns=len(COLUMNS), tile=TILE, labels=COLUMNS * len(items))
    save_webp(Path(__file__).parent / "img" / "before_after.webp", sheet, quality=72)


if __name__ == "__main__":
    main()
