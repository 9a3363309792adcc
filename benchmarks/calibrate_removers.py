"""What the trained removers make of maps and episodes that nobody has looked at: a calibration beside the benchmark.

Records fresh twins (maps of freedoom1 that no set uses, seeds of their own, the interfaces of set b), cuts them, lets the
removers of a lake clean them and the same judge score them. Settings are never chosen on these clips.

Usage: .venv/bin/python benchmarks/calibrate_removers.py [LAKE] [--seed N] [--workers N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from g2w.bench.items import read_items
from g2w.bench.run import score
from g2w.bench.sets import GT_SUITE, build_gt_set
from g2w.footage.episode import EpisodeConfig, render_episode
from g2w.footage.hud import STYLES
from g2w.footage.plan import BENCH_MAPS
from g2w.footage.truth import TwinError
from g2w.lineage.lake import Lake
from g2w_assets import bench_shards, settings, shards

MAPS = ("E1M3", "E1M5", "E1M6", "E2M1", "E2M3", "E2M5", "E3M2", "E3M4", "E4M1", "E4M2", "E4M3", "E4M4")
SYSTEMS = ("copy-input", "oracle-fill-inner", "lite", "diffusion")
NUM_FRAMES = 150
SHOWN = ("aar", "ui", "bg", "psnr_gain")


def record(item: dict[str, Any]) -> list[dict[str, Any]]:
    """Render one twin and cut it: rows of clips with their paths."""
    folder = Path(item["folder"])
    rows: list[dict[str, Any]] = []
    try:
        videos = list(render_episode(EpisodeConfig(**item["episode"]), folder / "inbox"))
    except TwinError as error:
        print(f"lost: {item['episode']}: {error}", file=sys.stderr)
        return []
    for video in videos:
        uri = str(folder / "inbox" / f"{video['name']}.mp4")
        (probed,) = shards.probe({"uri": uri})
        cut = shards.cut({"uri": uri, "video": probed, "out": str(folder / "clips")})
        rows += [{**row, "path": str(folder / "clips" / row["file"])} for row in cut if row["verdict"] == "ok"]
    return rows


def remove(item: dict[str, Any]) -> dict[str, Any]:
    """One system on one item: the row of its output."""
    return bench_shards.bench_output(item)[0]


def calibrate(lake: Lake, folder: Path, seed: int, workers: int) -> list[dict[str, Any]]:
    """Scores of every system on fresh twins."""
    assert not set(MAPS) & set(BENCH_MAPS), "a map of the benchmark is no fresh map"
    styles = [style for style in STYLES if style[0] == "b"]
    episodes = [
        {"wad": "freedoom1", "map": name, "seed": seed + i, "num_frames": NUM_FRAMES,
         "hud": styles[i % len(styles)], "twin": True}
        for i, name in enumerate(MAPS)
    ]  # fmt: skip
    heads = {"lite": lake.head("cleaner/lite", "all"), "diffusion": lake.head("cleaner/checkpoint", "all")}
    checkpoints = {name: str(lake.open(head).local_dir()) for name, head in heads.items() if head is not None}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = pool.map(record, [{"folder": str(folder), "episode": episode} for episode in episodes])
        clips = [row for rows in found for row in rows]
        sets = folder / "sets"
        build_gt_set(clips, sets / GT_SUITE, max_clips=len(MAPS), num_frames=NUM_FRAMES)
        items = read_items(sets)
        work = [
            {"item": item, "sets": str(sets), "system": system, "out": str(folder / "outputs"), "threads": 1,
             "checkpoint": checkpoints.get(system)}
            for system in SYSTEMS for item in items if system in checkpoints or system not in bench_shards.LEARNED
        ]  # fmt: skip
        outputs: dict[str, dict[str, str]] = {}
        for row in pool.map(remove, work):
            outputs.setdefault(row["item_id"], {})[row["system"]] = str(folder / "outputs" / row["file"])
        judged = pool.map(bench_shards.judge, [
            {"item": item, "sets": str(sets), "outputs": outputs[item["item_id"]], "systems": sorted(outputs[item["item_id"]])}
            for item in items
        ])  # fmt: skip
        verdicts = [row for rows in judged for row in rows]
    print(f"{len(items)} items on {len({item['game'] for item in items})} maps, seed {seed}")
    return score(verdicts, seed=0, replicates=10_000)


def main() -> None:
    """Print one line per system."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lake", nargs="?", default=settings.lake_root())
    parser.add_argument("--seed", type=int, default=900_000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = calibrate(Lake(arguments.lake), Path(name), arguments.seed, arguments.workers)
    for system in SYSTEMS:
        cells = []
        for row in rows:
            if row["system"] == system and row["metric"] in SHOWN and row["value"] is not None:
                cells.append(f"{row['metric']} {row['value']:.1f} ({row['lo']:.1f} to {row['hi']:.1f})")
        print(f"{system:18}", "  ".join(cells))


if __name__ == "__main__":
    main()
