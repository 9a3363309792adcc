"""The choice: every clip gets one verdict from the table of thresholds, then near-copies go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from g2w.curation.dedup import find_near_copies
from g2w.curation.thresholds import THRESHOLDS, Thresholds
from g2w.video.verdicts import Reason, Verdict

DROPS_SCHEMA = pa.schema(
    [
        ("clip_id", pa.string()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("value", pa.float64()),
        ("threshold", pa.float64()),
        ("duplicate_of", pa.string()),
    ]
)
EDGES_SCHEMA = pa.schema(
    [("clip_id", pa.string()), ("kept_id", pa.string()), ("cosine", pa.float64()), ("group", pa.string())]
)

Row = dict[str, Any]
_AT_MOST = (
    ("black_ratio", "max_black_ratio", Reason.BLACK),
    ("frozen_ratio", "max_frozen_ratio", Reason.FROZEN),
    ("duplicate_ratio", "max_duplicate_ratio", Reason.STUTTER),
)
_AT_LEAST = (
    ("luma_p95", "min_luma_p95", Reason.DARK),
    ("motion", "min_motion", Reason.STILL),
    ("sharpness", "min_sharpness", Reason.BLURRED),
)


def select(
    table: Sequence[Mapping[str, Any]],
    embeddings: Mapping[str, np.ndarray],
    thresholds: Thresholds = THRESHOLDS,
    *,
    embedder: str = "pixel-layout-v1",
) -> tuple[list[Row], list[Row], list[Row]]:
    """Choose clips.

    Args:
        table: a row per clip with the columns of raw/clips and corpus/scores.
        embeddings: clip_id -> unit vector.
        thresholds: what a kept clip must be like.
        embedder: name in the identity of what made the vectors; decides the near-copy threshold.

    Returns:
        (kept rows, drops, edges), each in the order of the table. A drop has verdict rejected (measured and out of
        bounds, or a near-copy) or quarantined (not measured: unknown is never passed), one reason, and for a threshold
        the value and the limit. An edge says which kept clip a dropped one copies. Every clip of the table is kept or
        dropped exactly once.
    """
    passed: list[Row] = []
    drops: dict[str, Row] = {}
    for clip in table:
        drop = _judge(clip, clip["clip_id"] in embeddings, thresholds)
        if drop is None:
            passed.append(dict(clip))
        else:
            drops[clip["clip_id"]] = drop
    edges: list[Row] = []
    if passed:
        vectors = np.stack([np.asarray(embeddings[clip["clip_id"]], np.float32) for clip in passed])
        groups = [comparison_group(clip) for clip in passed]
        cosine = thresholds.cosine_for(embedder)
        for edge in find_near_copies(vectors, [_quality(clip) for clip in passed], groups, cosine=cosine):
            clip, kept = passed[edge.dropped], passed[edge.kept]
            edges.append(
                {
                    "clip_id": clip["clip_id"],
                    "kept_id": kept["clip_id"],
                    "cosine": edge.cosine,
                    "group": groups[edge.dropped],
                }
            )
            drop = _drop(clip, Verdict.REJECTED, Reason.NEAR_DUPLICATE, edge.cosine, cosine)
            drops[clip["clip_id"]] = {**drop, "duplicate_of": kept["clip_id"]}
    kept_rows = [clip for clip in passed if clip["clip_id"] not in drops]
    return kept_rows, [drops[clip["clip_id"]] for clip in table if clip["clip_id"] in drops], edges


def comparison_group(clip: Mapping[str, Any]) -> str:
    """Clips are compared only with clips that show the same interface, or none.

    The renderings of an episode in other styles are near-copies by content, and training and the benchmark want them
    all.
    """
    return str(clip.get("hud") or "unknown")


def _quality(clip: Mapping[str, Any]) -> float:
    """Which of two copies stays: the benchmark's before any other, so that its copy leaves training; then the
    sharper.
    """
    return (1e6 if clip.get("split") == "bench" else 0.0) + float(clip["sharpness"])


def _drop(
    clip: Mapping[str, Any], verdict: Verdict, reason: Reason, value: float | None = None, limit: float | None = None
) -> Row:
    return {
        "clip_id": clip["clip_id"],
        "verdict": str(verdict),
        "reason": str(reason),
        "value": value,
        "threshold": limit,
        "duplicate_of": None,
    }


def _judge(clip: Mapping[str, Any], has_vector: bool, thresholds: Thresholds) -> Row | None:
    """The first rule that a clip breaks; None if it breaks none."""
    measured = [column for column, _, _ in (*_AT_MOST, *_AT_LEAST)]
    if clip.get("status") != "ok" or any(clip.get(column) is None for column in measured):
        return _drop(clip, Verdict.QUARANTINED, Reason.NO_SCORE)
    if not has_vector:
        return _drop(clip, Verdict.QUARANTINED, Reason.NO_EMBEDDING)
    for column, name, reason in _AT_MOST:
        if clip[column] > getattr(thresholds, name):
            return _drop(clip, Verdict.REJECTED, reason, clip[column], getattr(thresholds, name))
    for column, name, reason in _AT_LEAST:
        if clip[column] < getattr(thresholds, name):
            return _drop(clip, Verdict.REJECTED, reason, clip[column], getattr(thresholds, name))
    share = clip["letterbox_w"] * clip["letterbox_h"] / (1280 * 720)
    if share < thresholds.min_picture_share:
        return _drop(clip, Verdict.REJECTED, Reason.LETTERBOX, share, thresholds.min_picture_share)
    if clip["world_class"] == "unknown":
        return _drop(clip, Verdict.QUARANTINED, Reason.UNKNOWN)
    if clip["world_class"] != "world":
        return _drop(clip, Verdict.REJECTED, Reason.NOT_WORLD)
    return None
