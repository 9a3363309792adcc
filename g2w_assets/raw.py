"""Raw video in: one verdict per source file, and clips of five seconds cut inside shots."""

from __future__ import annotations

from typing import Any

from g2w_assets import shards
from g2w_assets.plan import Plan
from g2w_assets.stage import PREVIEW, Outcome, Step, stage


def _videos_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("rejection_budget")


@stage("raw/videos", version="1", number="accepted", recipe=_videos_recipe, batch=True, kinds=["ffmpeg", "parquet"])
def raw_videos(step: Step) -> Outcome:
    """One row per source file of a sealed batch: content hash, what decoding it really showed, and a verdict.

    Every file is decoded to the end, because headers lie; a bad file costs its row (rejected, with a reason from a closed
    list) and never the run. The batch fails only when the share of rejected files passes the rejection budget.
    """
    from g2w.video.probe import SCHEMA

    sources = step.lake.batch(step.partition).sources
    items = [{"uri": s.uri, "sha256": s.sha256, "size_bytes": s.size_bytes, "name": s.name} for s in sources]
    rows = [rows[0] for rows in step.map(shards.probe, items, crashed=shards.probe_crashed)]
    rejected = [row for row in rows if row["verdict"] == "rejected"]
    reasons = sorted({row["reason"] for row in rejected})
    if len(rejected) > step.plan.rejection_budget * len(rows):
        raise ValueError(
            f"batch {step.partition}: {len(rejected)} of {len(rows)} videos rejected ({', '.join(reasons)})"
        )
    table = shards.with_schema(rows, SCHEMA)
    return Outcome(step.work.write_table(table), number=len(rows) - len(rejected), rejected=len(rejected))


@stage(
    "raw/clips",
    version="1",
    number="clips",
    recipe=lambda plan: plan.recipe(),
    parents=["raw/videos"],
    batch=True,
    kinds=["ffmpeg", "parquet"],
)
def raw_clips(step: Step) -> Outcome:
    """Clips of 150 frames at 1280x720 and 30 fps, cut by decoded time inside shots.

    A source that already has this form is copied packet by packet and never re-encoded. Rows of actions and, for footage
    with a known truth, boxes of interface elements stay aligned to the frames. What is too short is a row, not a gap.
    """
    from g2w.video.clips import SCHEMA

    batch = step.lake.batch(step.partition)
    videos = [row for row in step.rows("raw/videos") if row["verdict"] != "rejected"]
    items = [{"uri": batch.locate(v["sha256"]).uri, "video": v, "out": str(step.out)} for v in videos]
    rows = [row for rows in step.map(shards.cut, items, crashed=shards.cut_crashed) for row in rows]
    kept = [row for row in rows if row["verdict"] == "ok"]
    shards.contact_sheet([step.out / row["file"] for row in kept], step.out / PREVIEW)
    table = shards.with_schema(rows, SCHEMA)
    return Outcome(step.work.write_table(table), number=len(kept), rejected=len(rows) - len(kept))


ASSETS = [raw_videos, raw_clips]
