from __future__ import annotations

import numpy as np
import pytest

from g2w.curation import dedup
from g2w.curation.dedup import find_near_copies, fit_threshold, plant_copies


def units(count: int, dim: int = 64, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_the_best_of_each_group_of_copies_stays() -> None:
    base = units(4)
    vectors = np.concatenate([base, base[1:2], base[1:2]])
    edges = find_near_copies(vectors, [1, 5, 1, 1, 9, 9], ["none"] * 6, cosine=0.95)
    assert [(e.dropped, e.kept) for e in edges] == [(1, 4), (5, 4)] and all(e.cosine > 0.999 for e in edges)


def test_other_groups_are_never_compared() -> None:
    vectors = np.repeat(units(1), 3, axis=0)
    edges = find_near_copies(vectors, [1, 2, 3], ["none", "a1", "none"], cosine=0.9)
    assert [(e.dropped, e.kept) for e in edges] == [(0, 2)]
    with pytest.raises(ValueError, match="one quality and group"):
        find_near_copies(vectors, [1, 2], ["none"] * 3, cosine=0.9)
    assert find_near_copies(np.zeros((0, 8), np.float32), [], [], cosine=0.9) == []


def test_clusters_find_what_all_pairs_find(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    centers = units(40, seed=1)
    vectors = centers[rng.integers(0, 40, 3000)] + 0.25 * units(3000, seed=2)
    planted = rng.choice(3000, 300, replace=False)
    vectors = np.concatenate([vectors, vectors[planted] + 0.01 * units(300, seed=4)]).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    settings = {"quality": [0.0] * 3300, "groups": ["x"] * 3300, "cosine": 0.9995}
    exact = find_near_copies(vectors, **settings)
    monkeypatch.setattr(dedup, "EXACT_BELOW", 1000)
    monkeypatch.setattr(dedup, "ROWS_PER_CLUSTER", 300)
    fast, again = find_near_copies(vectors, **settings), find_near_copies(vectors, **settings)
    assert fast == again
    assert {e.dropped for e in exact} == set(range(3000, 3300))
    assert len({e.dropped for e in fast} & {e.dropped for e in exact}) >= 297
    assert not {e.kept for e in fast} & {e.dropped for e in fast}


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.repeat(units(50), 4, axis=0)
    whole = find_near_copies(vectors, list(range(200)), ["x"] * 200, cosine=0.99)
    monkeypatch.setattr(dedup, "BLOCK", 7)
    assert find_near_copies(vectors, list(range(200)), ["x"] * 200, cosine=0.99) == whole and len(whole) == 150


def test_a_threshold_is_fitted_between_copies_and_others() -> None:
    def embed(frames):
        small = np.stack([frame[::20, ::20].astype(np.float32).ravel() for frame in frames])
        small -= small.mean(axis=1, keepdims=True)
        return small / np.linalg.norm(small, axis=1, keepdims=True)

    rng = np.random.default_rng(0)
    frames = [np.kron(rng.integers(0, 256, (9, 16, 3)), np.ones((20, 20, 1))).astype(np.uint8) for _ in range(12)]
    assert len(plant_copies(frames[0], 0)) == 6 and all(c.shape == frames[0].shape for c in plant_copies(frames[0], 0))
    fitted = fit_threshold(embed, frames)
    assert fitted.false_share == 0 and fitted.recall > 0.95 and 0.3 < fitted.cosine < 0.99 and fitted.num_frames == 12
    assert fitted == fit_threshold(embed, frames)
    with pytest.raises(ValueError, match="at least two"):
        fit_threshold(embed, frames[:1])
