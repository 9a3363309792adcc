"""Near-copies: k-means, then cosines inside each cluster (SemDeDup, Abbas et al. 2023), keeping the best of each group.

What may be a copy of what is explicit: rows are compared only inside the same `group`. The renderings of one episode
with and without an interface look alike (cosine 0.95) and are wanted, both: their groups differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

EXACT_BELOW = 4096
ROWS_PER_CLUSTER = 1024
BLOCK = 1024
PASSES = 2


@dataclass(frozen=True)
class Edge:
    """`dropped` is a near-copy of `kept` (both row numbers), with this cosine."""

    dropped: int
    kept: int
    cosine: float


@dataclass(frozen=True)
class FittedThreshold:
    """A near-copy threshold and what it does on the frames it was fitted on.

    Attributes:
        cosine: the threshold.
        recall: share of planted copies at or above it.
        false_share: share of frames with an unrelated frame at or above it.
        num_frames: frames used.
    """

    cosine: float
    recall: float
    false_share: float
    num_frames: int


def find_near_copies(
    vectors: np.ndarray, quality: Sequence[float], groups: Sequence[str], *, cosine: float, seed: int = 0
) -> list[Edge]:
    """Find rows to drop.

    Args:
        vectors: float32 (N, D) of unit length.
        quality: the higher of two copies is kept; on a tie the earlier row.
        groups: only rows of the same group are compared.
        cosine: from which two rows are copies.
        seed: of k-means; used from `EXACT_BELOW` rows of a group on. Below, all pairs are compared.

    Returns:
        One edge per dropped row, ordered by row; `kept` is never itself dropped. The cosine is that of the two rows
        named: at the end of a chain of copies it may lie a little below the threshold.
    """
    vectors = np.ascontiguousarray(vectors, np.float32)
    if not len(vectors) == len(quality) == len(groups):
        raise ValueError(f"one quality and group per vector: got {len(vectors)}, {len(quality)}, {len(groups)}")
    order = np.lexsort((np.arange(len(vectors)), -np.asarray(quality, np.float64)))
    survivor = {row: row for row in range(len(vectors))}
    for group in sorted(set(groups)):
        members = np.asarray([row for row in order if groups[row] == group])
        # Copies on two sides of a cluster's border are not seen in one pass; other borders show them.
        for turn in range(1 if len(members) < EXACT_BELOW else PASSES):
            labels = _clusters(vectors[members], seed + turn)
            for label in np.unique(labels):
                for dropped, kept in _drop_in_order(vectors, members[labels == label], cosine):
                    survivor[dropped] = kept
            members = np.asarray([row for row in members if survivor[row] == row])
    return [
        Edge(row, kept, float(vectors[row] @ vectors[kept]))
        for row in survivor
        if (kept := _last(survivor, row)) != row
    ]


def _last(survivor: dict[int, int], row: int) -> int:
    """The row that stays at the end of a chain: what a first pass kept, a later one may have dropped."""
    while survivor[row] != row:
        row = survivor[row]
    return row


def _clusters(vectors: np.ndarray, seed: int) -> np.ndarray:
    if len(vectors) < EXACT_BELOW:
        return np.zeros(len(vectors), np.int64)
    import faiss

    faiss.omp_set_num_threads(1)  # sums in another order are other centroids
    means = faiss.Kmeans(
        vectors.shape[1], len(vectors) // ROWS_PER_CLUSTER, niter=20, seed=seed, spherical=True, verbose=False
    )
    means.train(vectors)
    return means.index.search(vectors, 1)[1][:, 0]


def _drop_in_order(vectors: np.ndarray, order: np.ndarray, cosine: float) -> list[tuple[int, int]]:
    """(dropped, kept), best first, in blocks: memory is one block times the rows kept so far, however large the
    cluster.
    """
    edges: list[tuple[int, int]] = []
    kept: list[int] = []
    for start in range(0, len(order), BLOCK):
        block = order[start : start + BLOCK]
        before = vectors[block] @ vectors[kept].T if kept else np.zeros((len(block), 0), np.float32)
        within = vectors[block] @ vectors[block].T
        fresh: list[int] = []
        for place, row in enumerate(block):
            candidates = [(float(before[place].max()), kept[int(before[place].argmax())])] if before.shape[1] else []
            candidates += [(float(within[place, other]), int(block[other])) for other in fresh]
            best = max(candidates, default=(-2.0, -1), key=lambda c: c[0])
            if best[0] >= cosine:
                edges.append((int(row), best[1]))
            else:
                fresh.append(place)
        kept += [int(block[place]) for place in fresh]
    return edges


def plant_copies(frame: np.ndarray, seed: int) -> list[np.ndarray]:
    """Six near-copies of a uint8 RGB frame: JPEG, darker, 2 % cropped, half resolution, noise, blur."""
    height, width = frame.shape[:2]
    top, left = max(1, height // 100), max(1, width // 100)
    rng = np.random.default_rng(seed)
    half = cv2.resize(frame, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    coded = cv2.imencode(".jpg", np.ascontiguousarray(frame[..., ::-1]), [cv2.IMWRITE_JPEG_QUALITY, 60])[1]
    decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert decoded is not None
    return [
        np.ascontiguousarray(decoded[..., ::-1]),
        np.rint(frame * 0.85).astype(np.uint8),
        cv2.resize(frame[top:-top, left:-left], (width, height)),
        cv2.resize(half, (width, height)),
        np.clip(np.rint(frame + rng.normal(0, 6, frame.shape)), 0, 255).astype(np.uint8),
        cv2.GaussianBlur(frame, (0, 0), 2),
    ]


def fit_threshold(
    embed: Callable[[Sequence[np.ndarray]], np.ndarray],
    frames: Sequence[np.ndarray],
    *,
    max_false_share: float = 0.01,
    seed: int = 0,
) -> FittedThreshold:
    """Fit the near-copy cosine of an embedder on planted copies.

    Args:
        embed: frames -> unit vectors (N, D).
        frames: uint8 RGB pictures of different clips, none a copy of another; more frames, finer result.
        max_false_share: of frames that may find an unrelated frame at the threshold.
        seed: of the noise.

    Returns:
        The lowest cosine that keeps to `max_false_share`, moved halfway up to the copies where there is room.

    Raises:
        ValueError: for fewer than two frames.
    """
    if len(frames) < 2:
        raise ValueError(f"fitting a threshold needs at least two frames of different clips, got {len(frames)}")
    vectors = embed(frames)
    planted = np.concatenate([embed(plant_copies(frame, seed + i)) @ vectors[i] for i, frame in enumerate(frames)])
    between = vectors @ vectors.T
    np.fill_diagonal(between, -1)
    nearest = np.sort(between.max(axis=1))
    allowed = int(max_false_share * len(nearest))
    floor = float(nearest[len(nearest) - 1 - allowed])
    ceiling = float(np.quantile(planted, 0.02))
    cosine = round((floor + ceiling) / 2, 4) if ceiling > floor else round(floor + 1e-4, 4)
    return FittedThreshold(cosine, float((planted >= cosine).mean()), float((nearest >= cosine).mean()), len(frames))
