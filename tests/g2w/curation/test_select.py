from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from g2w.curation.select import DROPS_SCHEMA, EDGES_SCHEMA, select

GOOD = {
    "status": "ok",
    "black_ratio": 0.0,
    "frozen_ratio": 0.0,
    "duplicate_ratio": 0.0,
    "luma_p95": 90.0,
    "motion": 8.0,
    "sharpness": 120.0,
    "letterbox_w": 1280,
    "letterbox_h": 720,
    "world_class": "world",
    "hud": "none",
    "split": "train",
}


def vector(seed: int) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=32).astype(np.float32)
    return made / np.linalg.norm(made)


@pytest.mark.parametrize(
    ("change", "verdict", "reason"),
    [
        ({"black_ratio": 0.2}, "rejected", "black"),
        ({"frozen_ratio": 0.5}, "rejected", "frozen"),
        ({"duplicate_ratio": 0.5}, "rejected", "stutter"),
        ({"luma_p95": 10.0}, "rejected", "dark"),
        ({"motion": 0.2}, "rejected", "still"),
        ({"sharpness": 2.0}, "rejected", "blurred"),
        ({"letterbox_h": 500}, "rejected", "letterbox"),
        ({"world_class": "menu"}, "rejected", "not_world"),
        ({"world_class": "unknown"}, "quarantined", "unknown"),
        ({"status": "crashed"}, "quarantined", "no_score"),
        ({"motion": None}, "quarantined", "no_score"),
        ({"clip_id": "nobody"}, "quarantined", "no_embedding"),
    ],
)
def test_one_verdict_and_reason_per_clip(change: dict, verdict: str, reason: str) -> None:
    table = [{**GOOD, "clip_id": "a"}, {**GOOD, "clip_id": "b", **change}]
    kept, drops, edges = select(table, {"a": vector(1), "b": vector(2)})
    assert [row["clip_id"] for row in kept] == ["a"] and edges == []
    assert [(d["clip_id"], d["verdict"], d["reason"]) for d in drops] == [(table[1]["clip_id"], verdict, reason)]
    pa.Table.from_pylist(drops, schema=DROPS_SCHEMA)


def test_near_copies_go_and_the_benchmark_keeps_its_own() -> None:
    table = [
        {**GOOD, "clip_id": "train", "sharpness": 500.0},
        {**GOOD, "clip_id": "bench", "split": "bench"},
        {**GOOD, "clip_id": "other"},
    ]
    vectors = {"train": vector(1), "bench": vector(1), "other": vector(2)}
    kept, drops, edges = select(table, vectors)
    assert [row["clip_id"] for row in kept] == ["bench", "other"]
    assert [(d["clip_id"], d["reason"], d["duplicate_of"]) for d in drops] == [("train", "near_duplicate", "bench")]
    assert [(e["clip_id"], e["kept_id"], e["group"]) for e in edges] == [("train", "bench", "none")]
    pa.Table.from_pylist(edges, schema=EDGES_SCHEMA)


def test_twins_do_not_remove_each_other() -> None:
    table = [
        {**GOOD, "clip_id": "clean"},
        {**GOOD, "clip_id": "a1", "hud": "a1"},
        {**GOOD, "clip_id": "a2", "hud": "a2"},
    ]
    kept, drops, _ = select(table, {row["clip_id"]: vector(1) for row in table})
    assert len(kept) == 3 and drops == []


def test_every_clip_is_kept_or_dropped_once() -> None:
    table = [{**GOOD, "clip_id": f"c{i}", "motion": 0.1 if i % 5 == 0 else 9.0} for i in range(30)]
    vectors = {row["clip_id"]: vector(i % 7) for i, row in enumerate(table)}
    kept, drops, edges = select(table, vectors)
    assert sorted(r["clip_id"] for r in kept + drops) == sorted(r["clip_id"] for r in table)
    assert {e["clip_id"] for e in edges} == {d["clip_id"] for d in drops if d["reason"] == "near_duplicate"}
    with pytest.raises(ValueError, match="no near-copy threshold"):
        select(table, vectors, embedder="unheard-of")
    assert select([], {}) == ([], [], [])
