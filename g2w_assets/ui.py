"""From frames to a library of interface elements: keyframes, proposals, reviewed RGBA assets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from g2w.lineage.canonical import sha256_json
from g2w_assets import settings, shards
from g2w_assets.corpus import accepted_clips
from g2w_assets.plan import Plan
from g2w_assets.stage import PREVIEW, Outcome, Step, stage

if TYPE_CHECKING:
    from g2w.ui.review.votes import Resolution


@stage(
    "ui/keyframes",
    version="1",
    number="keyframes",
    recipe=lambda plan: plan.recipe("keyframes_per_game", "seed"),
    parents=["raw/clips", "corpus/scores", "corpus/embeddings"],
    batch=True,
    kinds=["opencv", "parquet"],
)
def ui_keyframes(step: Step) -> Outcome:
    """Representative clips in which an interface is visible: the ones nearest to the centers of embedding clusters."""
    from g2w.ui.keyframes import KeyframeConfig, pick_keyframes

    scores = {row["clip_id"]: row for row in step.rows("corpus/scores")}
    vectors = {
        r["clip_id"]: np.asarray(r["embedding"], np.float32)
        for r in step.rows("corpus/embeddings")
        if r["status"] == "ok"
    }
    clips = [
        clip for clip in accepted_clips(step) if clip["clip_id"] in vectors and scores[clip["clip_id"]]["ui_present"]
    ]
    config = KeyframeConfig(max_clusters=step.plan.keyframes_per_game, seed=step.plan.seed)
    rows = pick_keyframes(clips, np.array([vectors[clip["clip_id"]] for clip in clips]), config)
    paths = {clip["clip_id"]: clip["path"] for clip in clips}
    shards.contact_sheet([paths[row["clip_id"]] for row in rows], step.out / PREVIEW)
    return Outcome(step.work.write_table(shards.with_schema(rows, shards.KEYFRAME_SCHEMA)), number=len(rows))


def _proposal_recipe(plan: Plan) -> dict[str, Any]:
    from g2w_assets.detectors import detector_recipe

    return detector_recipe(plan)


@stage(
    "ui/proposals",
    version="3",
    number="proposals",
    recipe=_proposal_recipe,
    parents=["raw/clips", "ui/keyframes"],
    batch=True,
    kinds=["opencv", "parquet"],
)
def ui_proposals(step: Step) -> Outcome:
    """Boxes and classes of interface elements, by the detector of the plan: the built-in one (what stays while the world
    moves) or an MLLM. A box or an answer that cannot be used is a row with the reason."""
    from collections import Counter

    from g2w_assets.detectors import spec_of

    wanted = {row["clip_id"] for row in step.rows("ui/keyframes")}
    clips = [clip for clip in accepted_clips(step) if clip["clip_id"] in wanted]
    spec = spec_of(step.plan, ledger=f"{step.partition}-{step.work.path.name.split('-')[1]}").item()
    items = [
        {**{name: clip[name] for name in ("clip_id", "game", "split", "path")}, "detector": spec} for clip in clips
    ]
    rows = [row for rows in step.map(shards.propose, items, crashed=shards.propose_crashed) for row in rows]
    good = [row for row in rows if row["status"] == "ok"]
    reasons = Counter(row["reason"] for row in rows if row["status"] != "ok")
    table = shards.with_schema(rows, shards.PROPOSAL_SCHEMA)
    anchors = Counter(row["anchor"] for row in good)
    summary = {"reasons": dict(sorted(reasons.items())), "anchors": dict(sorted(anchors.items()))}
    return Outcome(step.work.write_table(table), number=len(good), rejected=len(rows) - len(good), summary=summary)


def review_resolutions() -> dict[str, Resolution]:
    """What the reviewers have decided so far, by proposal."""
    from g2w.ui.review.decisions import DecisionLog
    from g2w.ui.review.votes import resolve

    return resolve(DecisionLog(settings.review_log()).read().decisions, quorum=settings.review_quorum())


def _library_recipe(plan: Plan) -> dict[str, Any]:
    return {**plan.recipe("proposal_confidence", "seed"), "review": _review_sha256(review_resolutions())}


def _review_sha256(resolutions: Mapping[str, Resolution]) -> str | None:
    decided = {key: asdict(resolution) for key, resolution in resolutions.items()}
    return sha256_json(decided) if decided else None


@stage(
    "ui/library",
    version="4",
    number="assets",
    recipe=_library_recipe,
    parents=["raw/clips", "ui/proposals"],
    kinds=["pillow", "parquet"],
)
def ui_library(step: Step) -> Outcome:
    """Transparent RGBA elements with class, source, recorded position, licence, and who or what accepted them.

    The drawn starter sets (a for training, b for the benchmark; no image crosses) plus elements cut out of training footage.
    A proposal above the stated confidence whose alpha can be solved is accepted automatically, and recorded as such; the
    rest waits as `needs_review`. What reviewers have decided comes first, and `accepted_by` names them. Cut elements that
    look the same are merged; `licences.json` lists what the library is under.
    """
    from g2w.ui.extract import ExtractConfig
    from g2w.ui.library import build_library, library_sheet
    from g2w.ui.review.apply import reviewed
    from g2w.video.sheet import save_webp

    paths = {clip["clip_id"]: clip["path"] for clip in accepted_clips(step)}
    resolutions = review_resolutions()
    if _review_sha256(resolutions) != step.recipe["review"]:
        raise ValueError("a reviewer has decided something since this step began: run it again")
    proposals = reviewed((row for row in step.rows("ui/proposals") if row["status"] == "ok"), resolutions)
    config = ExtractConfig(accept_confidence=step.plan.proposal_confidence)
    rows = build_library(proposals, paths, step.out, seed=step.plan.seed, config=config)
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    save_webp(step.out / PREVIEW, library_sheet(step.out))
    summary = {
        "extracted": sum(row["source"] == "extracted" for row in accepted),
        "near_duplicates": sum(row["reason"] == "near_duplicate" for row in rows),
        "licences": sorted({row["licence"] for row in rows if row["path"]}),
    }
    return Outcome(len(rows), number=len(accepted), rejected=len(rows) - len(accepted), summary=summary)


ASSETS = [ui_keyframes, ui_proposals, ui_library]
