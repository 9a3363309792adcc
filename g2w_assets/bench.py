"""The benchmark: sets with pixel ground truth, outputs of every system, verdicts, scores with intervals, one report."""

from __future__ import annotations

import json
from typing import Any

from g2w_assets import bench_shards
from g2w_assets.cleaner import checkpoint_dir
from g2w_assets.corpus import accepted_clips
from g2w_assets.plan import Plan
from g2w_assets.shards import with_schema
from g2w_assets.stage import Outcome, Step, stage

SYSTEMS = ("copy-input", "black-boxes", "oracle", "opencv-inpaint", "oracle-fill-inner", "lite", "diffusion")
"""Negative controls, two fills that are given the true masks, and the two removers that are given nothing."""


def _sets_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("bench_num_frames", "bench_max_clips")


@stage(
    "bench/sets",
    version="2",
    number="items",
    recipe=_sets_recipe,
    parents=["raw/clips", "pairs/rendered", "pairs/recipes", "pairs/clean_clips", "ui/library"],
    kinds=["parquet"],
)
def bench_sets(step: Step) -> Outcome:
    """game2world_gt (one episode rendered with and without HUD) and game2world_s (synthetic UI on held-out games).

    Boxes and masks of every element at every judged moment. Refused if a clip, video or game was seen in training.
    """
    from g2w.bench.sets import build_gt_set, build_s_set, contamination, read_items

    plan, clips = step.plan, accepted_clips(step)
    paths = {clip["clip_id"]: clip["path"] for clip in clips}
    build_gt_set(clips, step.out / "game2world_gt", max_clips=plan.bench_max_clips, num_frames=plan.bench_num_frames)
    rendered = [r for r in step.rows("pairs/rendered") if r["verdict"] == "ok" and r["split"] == "bench"]
    folder = step.one("pairs/rendered").local_dir()
    build_s_set(rendered, folder, paths, step.out / "game2world_s", max_clips=plan.bench_max_clips)
    items = read_items(step.out)
    training = [row for row in step.rows("pairs/recipes") if row["split"] == "train"]
    found = contamination(items, training, step.rows("pairs/clean_clips"))
    return Outcome(step.work.write_table(items), number=len(items), summary={"contaminated": found})


@stage(
    "bench/outputs",
    version="3",
    number="videos",
    recipe=lambda plan: plan.recipe("threads"),
    parents=["bench/sets", "cleaner/lite", "cleaner/checkpoint"],
    kinds=["pytorch", "ffmpeg"],
)
def bench_outputs(step: Step) -> Outcome:
    """What every system makes of every item. The masks of the truth are given to the mask-based systems only."""
    sets = step.one("bench/sets")
    root = str(sets.local_dir())
    items = [
        {
            "item": item,
            "sets": root,
            "system": system,
            "out": str(step.out),
            "threads": 1,
            "checkpoint": checkpoint_dir(step, system) if system in ("lite", "diffusion") else None,
        }
        for system in SYSTEMS
        for item in sets.rows()
    ]
    rows = [rows[0] for rows in step.map(bench_shards.bench_output, items, crashed=bench_shards.bench_output_crashed)]
    timings = {f"{row['system']}/{row['item_id']}": row.pop("seconds") for row in rows}
    good = [row for row in rows if row["status"] == "ok"]
    return Outcome(
        step.work.write_table(rows), number=len(good), rejected=len(rows) - len(good), facts={"seconds": timings}
    )


@stage(
    "bench/verdicts",
    version="1",
    number="verdicts",
    recipe=lambda plan: plan.recipe(),
    parents=["bench/sets", "bench/outputs"],
    kinds=["opencv", "parquet"],
)
def bench_verdicts(step: Step) -> Outcome:
    """Raw verdicts of the pixel judge: one row per system, item, judged frame and element, with the judge's identity."""
    from g2w.bench.judge import VERDICTS

    outputs: dict[str, dict[str, str]] = {}
    folder = step.one("bench/outputs").local_dir()
    for row in step.rows("bench/outputs"):
        if row["status"] == "ok":
            outputs.setdefault(row["item_id"], {})[row["system"]] = str(folder / row["file"])
    root = str(step.one("bench/sets").local_dir())
    items = [
        {"item": item, "sets": root, "outputs": outputs.get(item["item_id"], {}), "systems": list(SYSTEMS)}
        for item in step.rows("bench/sets")
    ]
    rows = [row for rows in step.map(bench_shards.judge, items, crashed=bench_shards.judge_crashed) for row in rows]
    errors = sum(row["status"] == "error" for row in rows)
    return Outcome(step.work.write_table(with_schema(rows, VERDICTS)), number=len(rows), rejected=errors)


@stage(
    "bench/removal",
    version="2",
    number="best_aar_gt",
    recipe=lambda plan: plan.recipe("bootstrap_replicates", "seed"),
    parents=["bench/sets", "bench/verdicts", "bench/outputs"],
    kinds=["parquet"],
)
def bench_removal(step: Step) -> Outcome:
    """AAR, UI, Clean, BG, tracks and PSNR inside the mask, per system and set, with cluster-bootstrap intervals.

    The negative controls are part of every run: a benchmark in which copying the input scores above zero is broken.
    """
    from g2w.bench.run import controls_ok, score
    from g2w.bench.scoring import SCORES

    verdicts = step.rows("bench/verdicts")
    rows = score(verdicts, seed=step.plan.seed, replicates=step.plan.bootstrap_replicates)
    wanted = {f"game2world_gt/{system}/aar" for system in bench_shards.LEARNED}
    best = max((row["value"] for row in rows if row["score_id"] in wanted), default=0.0)
    errors = sum(row["status"] == "error" for row in verdicts)
    summary = {"controls_ok": controls_ok(rows), "errors": errors}
    return Outcome(step.work.write_table(with_schema(rows, SCORES)), number=round(best, 4), summary=summary)


@stage(
    "bench/judges",
    version="1",
    number="agreement",
    recipe=lambda plan: plan.recipe(),
    parents=["bench/sets", "bench/verdicts"],
    kinds=["parquet"],
)
def bench_judges(step: Step) -> Outcome:
    """How far the judge itself can be trusted: designed outputs whose right verdict is known by construction."""
    item = {"name": "judges", "items": step.rows("bench/sets"), "sets": str(step.one("bench/sets").local_dir())}
    (rows,) = step.map(bench_shards.reliability, [item], crashed=bench_shards.crashed_scores)
    agreement = next(row["value"] for row in rows if row["metric"] == "state_agreement")
    return Outcome(step.work.write_table(rows), number=round(agreement, 4))


@stage(
    "bench/pilot",
    version="2",
    number="frechet_gain",
    recipe=lambda plan: plan.recipe("embedder", "seed", "threads"),
    parents=["world/pilot", "raw/clips", "pairs/clean_clips"],
    kinds=["pytorch", "parquet"],
)
def bench_pilot(step: Step) -> Outcome:
    """What the interface in the training data did to the pilot's video model: both arms against held-out clean footage.

    Scores whose weights are absent (VideoReward, LAION) read `unavailable`; they are never a number.
    """
    wanted = {row["clip_id"] for row in step.rows("pairs/clean_clips") if row["split"] == "bench"}
    clips = [clip["path"] for clip in accepted_clips(step) if clip["clip_id"] in wanted]
    item = {
        "name": "pilot",
        "checkpoint": str(step.one("world/pilot").local_dir()),
        "clips": clips,
        "embedder": step.plan.embedder,
        "seed": step.plan.seed,
        "threads": step.plan.threads,
        "out": str(step.out),
    }
    (rows,) = step.map(bench_shards.evaluate_pilot, [item], crashed=bench_shards.crashed_scores)
    gain = next((row["value"] for row in rows if row["score_id"] == "pilot/frechet_ui_minus_clean"), None)
    return Outcome(
        step.work.write_table(rows), number=round(gain or 0.0, 4), rejected=sum(row["status"] != "ok" for row in rows)
    )


@stage(
    "bench/actions",
    version="1",
    number="flow_mse_cut",
    recipe=lambda plan: plan.recipe("seed", "threads"),
    parents=["world/action", "raw/clips", "pairs/clean_clips"],
    kinds=["pytorch", "opencv", "parquet"],
)
def bench_actions(step: Step) -> Outcome:
    """Does the action model obey? Flow-MSE of its videos with the true actions, with shuffled ones, and of a still frame.

    On clips of games it has not seen, with paired intervals.
    """
    wanted = {row["clip_id"] for row in step.rows("pairs/clean_clips") if row["split"] == "bench"}
    clips = {c["clip_id"]: c["path"] for c in accepted_clips(step) if c["clip_id"] in wanted and c["actions_file"]}
    item = {
        "name": "actions",
        "checkpoint": str(step.one("world/action").local_dir()),
        "clips": clips,
        "seed": step.plan.seed,
        "threads": step.plan.threads,
        "out": str(step.out),
    }
    (rows,) = step.map(bench_shards.evaluate_actions, [item], crashed=bench_shards.crashed_scores)
    cut = next((row["value"] for row in rows if row["score_id"] == "actions/flow_mse_cut_vs_shuffled"), None)
    return Outcome(
        step.work.write_table(rows), number=round(cut or 0.0, 4), rejected=sum(row["status"] != "ok" for row in rows)
    )


@stage(
    "bench/report",
    version="1",
    number="systems",
    recipe=lambda plan: plan.recipe(),
    parents=[
        "bench/sets",
        "bench/outputs",
        "bench/verdicts",
        "bench/removal",
        "bench/judges",
        "bench/pilot",
        "bench/actions",
    ],
    kinds=["html"],
)
def bench_report(step: Step) -> Outcome:
    """The report: leaderboard with intervals and ties, before / after pictures, controls, and the way back to the sources."""
    from g2w.bench.report import write_report
    from g2w.lineage.audit import audit

    chain = audit(step.lake, step.one("bench/removal"), check_files=False, check_sources=False)
    nodes = [
        {"asset": n.asset, "partition": n.partition, "sha256": n.manifest_sha256, "rows": n.rows} for n in chain.nodes()
    ]
    facts = write_report(
        step.out,
        scores=step.rows("bench/removal"),
        verdicts=step.rows("bench/verdicts"),
        items=step.rows("bench/sets"),
        sets_dir=step.one("bench/sets").local_dir(),
        outputs={
            row["system"] + "/" + row["item_id"]: str(step.one("bench/outputs").local_dir() / row["file"])
            for row in step.rows("bench/outputs")
            if row["status"] == "ok"
        },
        judges=step.rows("bench/judges"),
        world={"pilot": step.rows("bench/pilot"), "actions": step.rows("bench/actions")},
        audit={"nodes": nodes, "sources": chain.sources},
    )
    (step.out / "lineage.json").write_text(json.dumps(nodes, indent=1, sort_keys=True), encoding="utf-8")
    return Outcome(rows=facts["rows"], number=len(SYSTEMS))


ASSETS = [
    bench_sets,
    bench_outputs,
    bench_verdicts,
    bench_removal,
    bench_judges,
    bench_pilot,
    bench_actions,
    bench_report,
]
