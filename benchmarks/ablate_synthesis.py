"""What each group of domain randomization is worth: the tiny GameCleaner trained with all groups, without each, and
with none, judged on twins of real footage (game2world_gt). One table, with intervals, and a JSON file.

All arms share clips, seeds, steps and every draw that their switch does not touch. The codec group acts on training
windows, which are cached chunks.

Usage: .venv/bin/python benchmarks/ablate_synthesis.py --lake lake --out ablation --steps 0 [--items 8] [--draw]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from g2w.bench.items import read_items
from g2w.bench.run import judge_item, score
from g2w.lineage.lake import Lake, Snapshot
from g2w.synth.config import GROUPS, SynthConfig
from g2w.synth.recipe import sample_recipes
from g2w.ui.draw import starter_library
from g2w.ui.library import read_library, write_library
from g2w.video.read import read_frames
from g2w.video.write import write_video

SUITE = "game2world_gt"
METRICS = ("aar", "ui", "bg")


def arms() -> dict[str, SynthConfig]:
    """Preset of every arm, by name."""
    config = SynthConfig()
    less = {f"no-{group}": config.without(group) for group in GROUPS}
    return {"all": config, **less, "none": config.without(*GROUPS)}


def head(lake: Lake, asset: str) -> Snapshot:
    """Newest snapshot of an unpartitioned asset."""
    handle = lake.head(asset, "all")
    if handle is None:
        raise SystemExit(f"{lake.root} has no {asset}: run `g2w demo` first, or give another --lake")
    return lake.open(handle)


def clip_paths(lake: Lake) -> dict[str, str]:
    """clip_id -> file of every accepted clip of every batch."""
    paths: dict[str, str] = {}
    for batch in lake.batches():
        handle = lake.head("raw/clips", batch)
        if handle is None:
            raise SystemExit(f"{lake.root} has no raw/clips of batch {batch}: run `g2w demo` first")
        snapshot = lake.open(handle)
        folder = snapshot.local_dir()
        paths |= {row["clip_id"]: str(folder / row["file"]) for row in snapshot.rows() if row["verdict"] == "ok"}
    return paths


def library_dir(lake: Lake, out: Path, draw: bool) -> Path:
    """The lake's library, or a freshly drawn one; refused if it has nothing localized to switch off."""
    if draw:
        write_library(starter_library("a", 0), out / "library")
        return out / "library"
    folder = head(lake, "ui/library").local_dir()
    if not any(row["theme"].endswith(":arabic") for row in read_library(folder)):
        raise SystemExit(f"{folder} holds no localized elements (an older library): give --draw, or make it again")
    return folder


def train(
    name: str, config: SynthConfig, clips: list[Mapping[str, Any]], paths: Mapping[str, str], args: argparse.Namespace
) -> Path:
    """Train one arm (or find it trained); returns its checkpoint folder."""
    from models.cleaner.pairs import RecipePairs
    from models.cleaner.presets import preset
    from models.cleaner.train import train_cleaner
    from models.training.reporter import NullReporter

    out = args.out / name
    model = preset(args.preset)
    changes = {"num_threads": args.threads, "seed": args.seed}
    if args.steps:
        changes |= {"num_steps": args.steps, "warmup_steps": min(model.train.warmup_steps, args.steps - 1)}
    model = replace(model, train=replace(model.train, **changes))
    recipes = sample_recipes(
        clips, read_library(args.library), count=args.recipes, seed=args.seed, split="train", config=config
    )
    used = {row["clip_id"]: Path(paths[row["clip_id"]]) for row in recipes}
    data = RecipePairs(used, recipes, args.library, model.window, codec=config.has("codec"))
    metrics = train_cleaner(model, data, out, NullReporter())
    print(f"{name:14} trained: inside PSNR {metrics['val_inside_psnr']:.2f} dB on its own kind of pairs", flush=True)
    return out


def judge(
    items: list[dict[str, Any]], sets_dir: Path, checkpoints: Mapping[str, Path], out: Path
) -> list[dict[str, Any]]:
    """Clean every item with every arm and judge them: score rows with intervals."""
    from models.cleaner.clean import load_cleaner

    outputs: dict[str, dict[str, Path]] = {item["item_id"]: {} for item in items}
    for name, checkpoint in checkpoints.items():
        cleaner = load_cleaner(checkpoint)
        for item in items:
            target = out / "outputs" / name / f"{item['item_id']}.mp4"
            write_video(target, cleaner.clean(read_frames(sets_dir / item["ui_file"])).frames)
            outputs[item["item_id"]][name] = target
    verdicts = [
        row
        for item in items
        for row in judge_item(item, outputs[item["item_id"]], sets_dir=sets_dir, systems=list(checkpoints))
    ]
    return score(verdicts, seed=0, replicates=1000)


def table(rows: list[dict[str, Any]], names: list[str]) -> str:
    """One line an arm: value and 95 % interval of each metric."""
    found = {row["score_id"]: row for row in rows}
    lines = [f"{'arm':14}" + "".join(f"{metric.upper():>30}" for metric in METRICS)]
    for name in names:
        cells = []
        for metric in METRICS:
            row = found[f"{SUITE}/{name}/{metric}"]
            value = row["value"]
            cells.append(
                "unavailable" if value is None else f"{value:.2f} [{row['lo']:.2f}, {row['hi']:.2f}] n={row['n']}"
            )
        lines.append(f"{name:14}" + "".join(f"{cell:>30}" for cell in cells))
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lake", default="lake")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--steps", type=int, default=0, help="0: the preset's")
    parser.add_argument("--recipes", type=int, default=400)
    parser.add_argument("--items", type=int, default=8)
    parser.add_argument("--arms", nargs="*", choices=list(arms()), default=list(arms()))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draw", action="store_true", help="draw a library instead of reading the lake's")
    return parser.parse_args()


def main() -> None:
    """Train, clean, judge, print."""
    args = parse()
    args.out.mkdir(parents=True, exist_ok=True)
    lake = Lake(args.lake)
    args.library = library_dir(lake, args.out, args.draw)
    clips = [row for row in head(lake, "pairs/clean_clips").rows() if row["split"] == "train"]
    paths, sets_dir = clip_paths(lake), head(lake, "bench/sets").local_dir()
    items = [item for item in read_items(sets_dir) if item["suite"] == SUITE][: args.items]
    presets = {name: config for name, config in arms().items() if name in args.arms}
    checkpoints = {name: train(name, config, clips, paths, args) for name, config in presets.items()}
    rows = judge(items, sets_dir, checkpoints, args.out)
    (args.out / "scores.json").write_text(json.dumps(rows, indent=1, sort_keys=True, default=str))
    print(table(rows, list(checkpoints)))


if __name__ == "__main__":
    main()
