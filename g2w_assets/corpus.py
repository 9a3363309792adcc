"""Scores first, decisions later: a column for every clip, one embedding, and one visible selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from g2w_assets import shards
from g2w_assets.plan import Plan
from g2w_assets.stage import PREVIEW, Outcome, Step, stage


def accepted_clips(step: Step) -> list[dict[str, Any]]:
    """Rows of raw/clips with verdict ok, each with the local path of its file."""
    rows = []
    for snapshot in step.inputs["raw/clips"].values():
        folder = snapshot.local_dir()
        rows += [{**row, "path": str(folder / row["file"])} for row in snapshot.rows() if row["verdict"] == "ok"]
    return rows


@stage(
    "corpus/scores",
    version="1",
    number="ui_share",
    recipe=lambda plan: plan.recipe(),
    parents=["raw/clips"],
    batch=True,
    kinds=["opencv", "parquet"],
)
def corpus_scores(step: Step) -> Outcome:
    """What one decoding pass shows of every clip: light, freezes, motion, sharpness, interface presence, kind of scene.

    Only measurements; nothing is filtered here. A score that needs weights which are absent reads `unavailable`.
    """
    items = [{"clip_id": row["clip_id"], "path": row["path"]} for row in accepted_clips(step)]
    rows = [rows[0] for rows in step.map(shards.score, items, crashed=shards.score_crashed)]
    with_ui = [row for row in rows if row["ui_present"]]
    unknown = [row for row in rows if row["ui_present"] is None]
    table = shards.with_schema(rows, shards.scores_schema())
    return Outcome(step.work.write_table(table), number=len(with_ui) / max(1, len(rows)), rejected=len(unknown))


def _embedder_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("embedder")


@stage(
    "corpus/embeddings",
    version="1",
    number="dimensions",
    recipe=_embedder_recipe,
    parents=["raw/clips"],
    batch=True,
    kinds=["openclip", "parquet"],
)
def corpus_embeddings(step: Step) -> Outcome:
    """One vector per clip, from its center frame, with the identity of the embedder in every row."""
    clips = accepted_clips(step)
    chunks = [clips[start : start + 50] for start in range(0, len(clips), 50)]
    items = [
        {"embedder": step.plan.embedder, "clips": [{"clip_id": c["clip_id"], "path": c["path"]} for c in chunk]}
        for chunk in chunks
    ]
    rows = [row for rows in step.map(shards.embed, items, crashed=shards.embed_crashed) for row in rows]
    good = [row for row in rows if row["status"] == "ok"]
    dimensions = len(good[0]["embedding"]) if good else 0
    return Outcome(step.work.write_table(rows), number=dimensions, rejected=len(rows) - len(good))


@stage(
    "corpus/selected",
    version="1",
    number="kept_share",
    recipe=lambda plan: plan.recipe(),
    parents=["raw/clips", "corpus/scores", "corpus/embeddings"],
    kinds=["faiss", "parquet"],
)
def corpus_selected(step: Step) -> Outcome:
    """The clips that pass the one table of thresholds and are not near-duplicates, over all batches.

    `drops.parquet` names every clip that was left out and why; `edges.parquet` the pairs that were found to be duplicates.
    """
    from g2w.curation.select import DROPS_SCHEMA, EDGES_SCHEMA, select

    clips = accepted_clips(step)
    scores = {row["clip_id"]: row for row in step.rows("corpus/scores")}
    vectors = {
        row["clip_id"]: np.asarray(row["embedding"], np.float32)
        for row in step.rows("corpus/embeddings")
        if row["status"] == "ok"
    }
    table = [{**scores[clip["clip_id"]], **clip} for clip in clips if clip["clip_id"] in scores]
    embedders = {row["embedder"] for row in step.rows("corpus/embeddings")}
    if len(embedders) > 1:
        raise ValueError(
            f"vectors of several embedders cannot be compared: {', '.join(sorted(embedders))}; embed all batches again"
        )
    kept, drops, edges = select(table, vectors, embedder=next(iter(embedders), step.plan.embedder))
    step.work.write_table(shards.with_schema(drops, DROPS_SCHEMA), "drops.parquet")
    step.work.write_table(shards.with_schema(edges, EDGES_SCHEMA), "edges.parquet")
    for row in kept:
        row.pop("path")
    shards.contact_sheet([c["path"] for c in clips if c["clip_id"] in {k["clip_id"] for k in kept}], step.out / PREVIEW)
    return Outcome(step.work.write_table(kept), number=len(kept) / max(1, len(table)), rejected=len(drops))


ASSETS = [corpus_scores, corpus_embeddings, corpus_selected]
