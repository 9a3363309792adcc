"""Representative frames: nearest to the centers of clusters of clip embeddings, where an interface is visible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class KeyframeConfig:
    """`share`: clusters per clip (0..1]; `min_ui_presence`: threshold on the score of the same name (0..1)."""

    share: float = 0.34
    min_clusters: int = 1
    max_clusters: int = 4096
    iterations: int = 20
    min_ui_presence: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1 or not 1 <= self.min_clusters <= self.max_clusters or self.iterations < 1:
            raise ValueError(
                f"KeyframeConfig needs 0 < share <= 1, 1 <= min_clusters <= max_clusters, iterations >= 1: {self}"
            )


def pick_keyframes(
    clips: Sequence[Mapping[str, Any]], embeddings: np.ndarray, config: KeyframeConfig | None = None
) -> list[dict[str, Any]]:
    """One keyframe per cluster of look-alike clips, clustered game by game.

    Args:
        clips: rows with clip_id, game, num_frames and optionally ui_presence (clips below the threshold are left out).
        embeddings: float (num_clips, dim), row i belongs to clips[i]; of the center frame.

    Returns:
        Rows clip_id, game, frame_index (center frame), cluster, cluster_size, distance (1 - cosine to the center),
        sorted by game and clip_id.

    Raises:
        ValueError: if the numbers of clips and embeddings differ.
    """
    config = config or KeyframeConfig()
    if len(clips) != len(embeddings):
        raise ValueError(f"{len(clips)} clips but {len(embeddings)} embeddings: they must be aligned row by row")
    visible = [i for i, row in enumerate(clips) if _presence(row) >= config.min_ui_presence]
    by_game: dict[str, list[int]] = {}
    for i in sorted(visible, key=lambda i: clips[i]["clip_id"]):
        by_game.setdefault(clips[i]["game"], []).append(i)
    rows = []
    for game in sorted(by_game):
        members = by_game[game]
        vectors = np.asarray([embeddings[i] for i in members], dtype=np.float64)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        count = min(
            len(members), max(config.min_clusters, min(config.max_clusters, round(config.share * len(members))))
        )
        labels, centers = _kmeans(vectors, count, config)
        for cluster in np.unique(labels):
            inside = np.flatnonzero(labels == cluster)
            cosine = vectors[inside] @ centers[cluster]
            best = inside[int(np.argmax(cosine))]
            clip = clips[members[best]]
            rows.append(
                {
                    "clip_id": clip["clip_id"],
                    "game": game,
                    "frame_index": int(clip.get("num_frames") or 150) // 2,
                    "cluster": int(cluster),
                    "cluster_size": len(inside),
                    "distance": round(1.0 - float(cosine.max()), 6),
                }
            )
    return sorted(rows, key=lambda row: (row["game"], row["clip_id"]))


def _presence(row: Mapping[str, Any]) -> float:
    """Unknown presence counts as visible: an undecided clip is looked at, not lost."""
    value = row.get("ui_presence")
    return 1.0 if value is None else float(value)


def _kmeans(vectors: np.ndarray, count: int, config: KeyframeConfig) -> tuple[np.ndarray, np.ndarray]:
    """Spherical k-means with seeded k-means++ starts. Returns labels (n,) and unit centers (count, dim)."""
    rng = np.random.default_rng(config.seed)
    chosen = [int(rng.integers(len(vectors)))]
    for _ in range(count - 1):
        away = np.maximum(0.0, 1.0 - (vectors @ vectors[chosen].T).max(axis=1))
        total = away.sum()
        chosen.append(
            int(rng.choice(len(vectors), p=away / total)) if total > 1e-9 else int(rng.integers(len(vectors)))
        )
    centers = vectors[chosen].copy()
    labels = np.zeros(len(vectors), np.int64)
    for _ in range(config.iterations):
        labels = np.argmax(vectors @ centers.T, axis=1)
        for k in range(count):
            if (labels == k).any():
                mean = vectors[labels == k].mean(axis=0)
                centers[k] = mean / max(1e-12, float(np.linalg.norm(mean)))
    return labels, centers
