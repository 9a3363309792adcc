"""The UI removers, trained on pairs composed while they are read, and the wild clips they clean."""

from __future__ import annotations

from typing import Any

from g2w_assets import shards
from g2w_assets.corpus import accepted_clips
from g2w_assets.plan import Plan
from g2w_assets.stage import PREVIEW, Outcome, Step, stage

TRAINING_PARENTS = ["raw/clips", "pairs/clean_clips", "pairs/recipes", "ui/library"]
CHECKPOINT = "model.safetensors"


def pair_request(step: Step) -> dict[str, Any]:
    """What a child needs to compose training pairs: recipes, paths of the clean clips, the library."""
    paths = {clip["clip_id"]: clip["path"] for clip in accepted_clips(step)}
    recipes = [row for row in step.rows("pairs/recipes") if row["split"] == "train"]
    used = {row["clip_id"] for row in recipes}
    return {
        "recipes": recipes,
        "clips": {clip_id: paths[clip_id] for clip_id in sorted(used)},
        "library": str(step.one("ui/library").local_dir()),
        "threads": step.plan.threads,
        "seed": step.plan.seed,
    }


def training_outcome(step: Step, result: dict[str, Any], number: str) -> Outcome:
    """Outcome of a training child: its metrics are hashed, its MLflow run is a fact of the run."""
    metrics = {name: round(float(value), 6) for name, value in result["metrics"].items()}
    facts = {
        "mlflow_run_id": result["mlflow_run_id"],
        "mlflow_url": step.context.resources.tracking.link(result["mlflow_run_id"]),
    }
    summary = {"steps": result["steps"], "checkpoints": result["checkpoints"], "metrics": metrics}
    return Outcome(rows=result["steps"], number=metrics[number], summary=summary, facts=facts)


def _cleaner_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("cleaner_steps", "threads", "seed")


def _lite_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("lite_steps", "threads", "seed")


@stage(
    "cleaner/checkpoint",
    version="3",
    number="val_inside_psnr",
    recipe=_cleaner_recipe,
    parents=TRAINING_PARENTS,
    kinds=["pytorch", "huggingface", "mlflow"],
    pool="train",
)
def cleaner_checkpoint(step: Step) -> Outcome:
    """GameCleaner: a Wan video transformer conditioned on the source video and an instruction; no masks asked of the user.

    safetensors + config + metrics. Trained in a child process; a killed training resumes to the same bytes.
    """
    result = step.train("cleaner", {**pair_request(step), "preset": step.plan.preset, "steps": step.plan.cleaner_steps})
    return training_outcome(step, result, "val_inside_psnr")


@stage(
    "cleaner/lite",
    version="1",
    number="mask_f1",
    recipe=_lite_recipe,
    parents=TRAINING_PARENTS,
    kinds=["pytorch", "mlflow"],
    pool="train",
)
def cleaner_lite(step: Step) -> Outcome:
    """The small remover: a learned UI segmenter that sees what stays while the world moves.

    It looks through translucent interface (the world behind still changes) and continues the surroundings over opaque parts.
    """
    result = step.train("lite", {**pair_request(step), "preset": step.plan.preset, "steps": step.plan.lite_steps})
    return training_outcome(step, result, "mask_f1")


def checkpoint_dir(step: Step, system: str) -> str:
    """Local folder of a trained remover."""
    asset = {"lite": "cleaner/lite", "diffusion": "cleaner/checkpoint"}[system]
    return str(step.one(asset).local_dir())


@stage(
    "cleaned/clips",
    version="2",
    number="masked_share",
    recipe=lambda plan: plan.recipe("cleaned_system", "threads"),
    parents=["raw/clips", "corpus/selected", "cleaner/lite", "cleaner/checkpoint"],
    batch=True,
    kinds=["pytorch", "ffmpeg"],
)
def cleaned_clips(step: Step) -> Outcome:
    """The selected wild clips of a batch with their interface removed, each with an uncertainty map and a verdict.

    Throughput lies in `_run.parquet` beside the snapshot's run facts, because it is true of the run and not of the data.
    """
    selected = {row["clip_id"] for row in step.rows("corpus/selected") if row["ui_present"]}
    clips = [clip for clip in accepted_clips(step) if clip["clip_id"] in selected and clip["split"] != "bench"]
    system = step.plan.cleaned_system
    items = [
        {
            "clip_id": c["clip_id"],
            "path": c["path"],
            "out": str(step.out),
            "system": system,
            "checkpoint": checkpoint_dir(step, system),
            "threads": 1,
        }
        for c in clips
    ]
    rows = [rows[0] for rows in step.map(shards.clean, items, crashed=shards.clean_crashed)]
    timings = {row["clip_id"]: row.pop("frames_per_s") for row in rows}
    good = [row for row in rows if row["verdict"] == "ok"]
    pairs = [
        path
        for c, row in zip(clips, rows, strict=True)
        if row["verdict"] == "ok"
        for path in (c["path"], step.out / row["file"])
    ]
    shards.contact_sheet(pairs, step.out / PREVIEW)
    share = sum(row["masked_share"] for row in good) / max(1, len(good))
    return Outcome(
        step.work.write_table(shards.with_schema(rows, shards.CLEANED_SCHEMA)),
        number=round(share, 6),
        rejected=len(rows) - len(good),
        facts={"frames_per_s": timings},
    )


ASSETS = [cleaner_checkpoint, cleaner_lite, cleaned_clips]
