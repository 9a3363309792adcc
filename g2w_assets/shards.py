"""Shard functions: pure, importable, JSON in and JSON rows out. They run in the engine's workers, not in the step process.

Nothing here imports Dagster, so that a worker starts fast; heavy libraries are loaded by the domain where it uses them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    import numpy as np

    from g2w.video.cleaning import Cleaner

Item = dict[str, Any]
Rows = list[dict[str, Any]]

SHEET_TILES = 12
CLEANED_SCHEMA = pa.schema(
    [
        ("clip_id", pa.string()),
        ("file", pa.string()),
        ("uncertainty_file", pa.string()),
        ("num_frames", pa.int32()),
        ("masked_share", pa.float64()),
        ("uncertain_share", pa.float64()),
        ("system", pa.string()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
    ]
)

KEYFRAME_SCHEMA = pa.schema(
    [
        ("clip_id", pa.string()),
        ("game", pa.string()),
        ("frame_index", pa.int32()),
        ("cluster", pa.int32()),
        ("cluster_size", pa.int32()),
        ("distance", pa.float64()),
    ]
)
PROPOSAL_SCHEMA = pa.schema(
    [
        ("clip_id", pa.string()),
        ("game", pa.string()),
        ("split", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        *((name, pa.int32()) for name in ("x", "y", "w", "h")),
        ("cls", pa.string()),
        ("cls_confidence", pa.float64()),
        ("anchor", pa.string()),
        ("confidence", pa.float64()),
        ("first_frame", pa.int32()),
        ("last_frame", pa.int32()),
        ("transient", pa.bool_()),
        ("detector", pa.string()),
    ]
)


def with_schema(rows: Rows, schema: pa.Schema) -> pa.Table:
    """Rows as a table of this schema: so that no rows at all still make a table."""
    return pa.Table.from_pylist(rows, schema=schema)


def scores_schema() -> pa.Schema:
    """Schema of corpus/scores: the clip, then the columns of the domain."""
    from g2w.curation.scores import SCHEMA

    return pa.schema([("clip_id", pa.string()), *SCHEMA])


def contact_sheet(paths: Sequence[Path | str], out: Path) -> None:
    """Write one picture of the middle frames of up to twelve videos; nothing if there are none."""
    from g2w.video.read import read_frames
    from g2w.video.sheet import contact_sheet as sheet
    from g2w.video.sheet import save_webp

    chosen = list(paths)[:: max(1, len(paths) // SHEET_TILES)][:SHEET_TILES]
    images = []
    for path in chosen:
        frames = read_frames(path, start=60, stop=61, size=(320, 180))
        if len(frames):
            images.append(frames[0])
    if images:
        save_webp(out, sheet(images, columns=4))


# raw


def probe(item: Item) -> Rows:
    """Row of raw/videos."""
    from g2w.video.probe import probe_file

    return [probe_file(item["uri"])]


def probe_crashed(item: Item) -> Rows:
    """A file that kills the decoder."""
    from g2w.video.probe import crashed_row

    return [crashed_row(item["uri"], item["sha256"], item["size_bytes"])]


def cut(item: Item) -> Rows:
    """Rows of raw/clips of one video."""
    from g2w.video.clips import ClipConfig, cut_video

    return cut_video(item["uri"], item["video"], Path(item["out"]), ClipConfig())


def cut_crashed(item: Item) -> Rows:
    """A video that passed the probe and kills the cutter."""
    from g2w.video.clips import crashed_row

    return [crashed_row(item["video"])]


# corpus


def score(item: Item) -> Rows:
    """Row of corpus/scores."""
    from g2w.curation.scores import score_clip

    return [{"clip_id": item["clip_id"], **score_clip(item["path"])}]


def score_crashed(item: Item) -> Rows:
    """Unknown is quarantined later, never passed."""
    from g2w.curation.scores import crashed_row

    return [{"clip_id": item["clip_id"], **crashed_row()}]


def embed(item: Item) -> Rows:
    """Rows of corpus/embeddings for one chunk of clips."""
    from g2w.video.read import read_frames
    from models.perception.embed import load_embedder

    embedder = load_embedder(item["embedder"])
    frames = [read_frames(clip["path"], start=75, stop=76)[0] for clip in item["clips"]]
    vectors = embedder.embed(frames)
    return [
        {
            "clip_id": clip["clip_id"],
            "embedder": embedder.identity.name,
            "weights_sha256": embedder.identity.weights_sha256,
            "status": "ok",
            "embedding": [float(x) for x in vector],
        }
        for clip, vector in zip(item["clips"], vectors, strict=True)
    ]


def embed_crashed(item: Item) -> Rows:
    """Clips whose chunk killed the worker have no vector, and say so."""
    return [
        {
            "clip_id": clip["clip_id"],
            "embedder": item["embedder"],
            "weights_sha256": None,
            "status": "crashed",
            "embedding": None,
        }
        for clip in item["clips"]
    ]


# ui and pairs


def propose(item: Item) -> Rows:
    """Rows of ui/proposals of one clip."""
    from g2w_assets.detectors import DetectorSpec, load_detector

    known = {name: item[name] for name in ("clip_id", "game", "split")}
    return [{**known, **row} for row in load_detector(DetectorSpec(**item["detector"])).propose(item["path"])]


def propose_crashed(item: Item) -> Rows:
    """A clip that killed the detector."""
    known = {name: item[name] for name in ("clip_id", "game", "split")}
    return [{**known, "status": "crashed", "reason": "crashed"}]


def render_pair(item: Item) -> Rows:
    """Row of pairs/rendered."""
    from g2w.synth.write import render_pair as render

    row = render(item["recipe"], item["clip"], Path(item["library"]), Path(item["out"]))
    return [{**row, "verdict": "ok", "reason": None}]


def render_crashed(item: Item) -> Rows:
    """A pair that killed the renderer."""
    return [
        {
            "pair_id": item["recipe"]["pair_id"],
            "split": item["recipe"]["split"],
            "verdict": "rejected",
            "reason": "crashed",
        }
    ]


# cleaned and bench


@lru_cache(maxsize=1)
def load_system(system: str, checkpoint: str, threads: int) -> Cleaner:
    """A trained remover, kept in the worker between items."""
    import cv2
    import torch

    torch.set_num_threads(threads)
    cv2.setNumThreads(threads)
    if system == "diffusion":
        from models.cleaner.clean import load_cleaner

        return load_cleaner(Path(checkpoint))
    from models.lite import load_lite

    return load_lite(Path(checkpoint))


def clean(item: Item) -> Rows:
    """Clean one clip: the video, its uncertainty picture, and the row of cleaned/clips."""
    from g2w.video.read import read_frames
    from g2w.video.sheet import save_webp
    from g2w.video.write import write_video

    cleaner = load_system(item["system"], item["checkpoint"], item["threads"])
    started = time.monotonic()
    frames = read_frames(item["path"])
    result = cleaner.clean(frames)
    name, uncertain = f"{item['clip_id']}.mp4", f"{item['clip_id']}.uncertainty.webp"
    write_video(Path(item["out"]) / name, result.frames)
    save_webp(Path(item["out"]) / uncertain, _as_rgb(result.uncertainty.max(axis=0)))
    return [
        {
            "clip_id": item["clip_id"],
            "file": name,
            "uncertainty_file": uncertain,
            "num_frames": len(frames),
            "masked_share": round(result.masked_share, 6),
            "uncertain_share": round(float((result.uncertainty > 127).mean()), 6),
            "system": item["system"],
            "verdict": "ok",
            "reason": None,
            "frames_per_s": len(frames) / (time.monotonic() - started),
        }
    ]


def clean_crashed(item: Item) -> Rows:
    """A clip that killed the cleaner."""
    row = {name: None for name in CLEANED_SCHEMA.names}
    return [
        {
            **row,
            "clip_id": item["clip_id"],
            "system": item["system"],
            "verdict": "rejected",
            "reason": "crashed",
            "frames_per_s": 0.0,
        }
    ]


def _as_rgb(gray: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.repeat(gray[..., None], 3, axis=2)
