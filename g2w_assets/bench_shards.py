"""Shard functions of the benchmark: outputs of the systems, verdicts, and what the world models are measured by."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from g2w_assets.shards import Item, Rows, load_system

if TYPE_CHECKING:
    import numpy as np

LEARNED = ("lite", "diffusion")
MASK_FILLS = ("opencv-inpaint", "oracle-fill-inner")
INNER_SIZE = (256, 144)
"""Size inside which the tiny diffusion cleaner works, so that its fill is compared with one of the same sharpness."""


def bench_output(item: Item) -> Rows:
    """Write what one system makes of one item."""
    from g2w.bench.controls import CONTROLS, write_control

    started, system, row = time.monotonic(), item["system"], item["item"]
    name = f"{system}/{row['item_id']}.mp4"
    out, root = Path(item["out"]) / name, Path(item["sets"])
    if system in CONTROLS:
        write_control(system, row, root, out)
    else:
        _write_system(item, root, out)
    seconds = time.monotonic() - started
    return [
        {
            "item_id": row["item_id"],
            "suite": row["suite"],
            "system": system,
            "file": name,
            "status": "ok",
            "seconds": seconds,
        }
    ]


def _write_system(item: Item, root: Path, out: Path) -> None:
    import numpy as np

    from g2w.bench.items import iter_item_masks
    from g2w.video.read import read_frames
    from g2w.video.write import write_video

    frames = read_frames(root / item["item"]["ui_file"])
    if item["system"] in LEARNED:
        cleaned = load_system(item["system"], item["checkpoint"], item["threads"]).clean(frames).frames
    else:
        cleaned = _fill(item["system"], frames, np.stack(list(_take(iter_item_masks(root, item["item"]), len(frames)))))
    write_video(out, cleaned, preset="ultrafast")  # as the recorded items are: a third of the time of a small file


def _fill(system: str, frames: np.ndarray, masks: np.ndarray) -> np.ndarray:
    import cv2

    from models.baselines import OpenCVInpaint, OracleFillInner

    cv2.setNumThreads(1)
    cleaner = OpenCVInpaint() if system == "opencv-inpaint" else OracleFillInner(size=INNER_SIZE)
    return cleaner.clean(frames, masks=masks).frames


def _take(iterator: Iterator[Any], count: int) -> Iterator[Any]:
    for _, value in zip(range(count), iterator, strict=False):
        yield value


def bench_output_crashed(item: Item) -> Rows:
    """A system that crashed on an item has no output there, and its verdicts will be errors."""
    row = item["item"]
    return [
        {
            "item_id": row["item_id"],
            "suite": row["suite"],
            "system": item["system"],
            "file": None,
            "status": "crashed",
            "seconds": 0.0,
        }
    ]


def judge(item: Item) -> Rows:
    """Verdict rows of every system on one item."""
    from g2w.bench.run import judge_item

    return judge_item(item["item"], item["outputs"], sets_dir=item["sets"], systems=item["systems"])


def judge_crashed(item: Item) -> Rows:
    """An item that killed the judge: errors, never zeros."""
    from g2w.bench.judge import JudgeError
    from g2w.bench.run import error_rows

    return error_rows(item["item"], item["systems"], JudgeError.CRASHED, sets_dir=item["sets"])


def reliability(item: Item) -> Rows:
    """Agreement of the judge with outputs designed to have a known verdict."""
    from g2w.bench.run import judge_reliability

    rows = judge_reliability(item["items"], item["sets"])
    return [{"score_id": f"judges/{row['metric']}/{row['kind']}".replace(" ", "-"), **row} for row in rows]


def crashed_scores(item: Item) -> Rows:
    """A measurement that killed its worker has no value."""
    return [{"score_id": item["name"], "metric": item["name"], "value": None, "status": "crashed"}]


def evaluate_pilot(item: Item) -> Rows:
    """Scores of both arms of the pilot."""
    import torch

    from models.perception.embed import load_embedder
    from models.world.pilot_bench import score_pilot

    torch.set_num_threads(item["threads"])
    embedder = load_embedder(item["embedder"])
    return score_pilot(
        Path(item["checkpoint"]), [Path(p) for p in item["clips"]], embedder, out=Path(item["out"]), seed=item["seed"]
    )


def evaluate_actions(item: Item) -> Rows:
    """Flow-MSE of the action model with true, shuffled and no actions."""
    import torch

    from models.world.action_bench import score_actions

    torch.set_num_threads(item["threads"])
    clips = {clip_id: Path(path) for clip_id, path in item["clips"].items()}
    return score_actions(Path(item["checkpoint"]), clips, out=Path(item["out"]), seed=item["seed"])
