"""World models at the preset's size: the pilot's two arms, and one that obeys keyboard and mouse."""

from __future__ import annotations

from typing import Any

from g2w_assets.cleaner import TRAINING_PARENTS, pair_request, training_outcome
from g2w_assets.corpus import accepted_clips
from g2w_assets.plan import Plan
from g2w_assets.stage import Outcome, Step, stage


def _pilot_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("pilot_steps", "threads", "seed")


def _action_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("action_steps", "threads", "seed")


@stage(
    "world/pilot",
    version="2",
    number="loss_ratio_ui_to_clean",
    recipe=_pilot_recipe,
    parents=TRAINING_PARENTS,
    kinds=["pytorch", "huggingface", "mlflow"],
    pool="train",
)
def world_pilot(step: Step) -> Outcome:
    """The pilot experiment: one video model trained twice from the same start, on the same clips, once clean and once with UI.

    Same seed, same steps, same captions: the interface is the only difference between the two arms.
    """
    result = step.train("pilot", {**pair_request(step), "preset": step.plan.preset, "steps": step.plan.pilot_steps})
    return training_outcome(step, result, "loss_ratio_ui_to_clean")


@stage(
    "world/action",
    version="1",
    number="loss",
    recipe=_action_recipe,
    parents=["raw/clips", "pairs/clean_clips"],
    kinds=["pytorch", "huggingface", "mlflow"],
    pool="train",
)
def world_action(step: Step) -> Outcome:
    """A video model that continues a first frame under recorded keyboard and mouse actions (GameFactory's action module).

    `actions.json` beside the weights says which index is which key, in which units the mouse is, and how rows repeat.
    """
    wanted = {row["clip_id"] for row in step.rows("pairs/clean_clips") if row["split"] == "train"}
    clips = [clip for clip in accepted_clips(step) if clip["clip_id"] in wanted and clip["actions_file"]]
    request = {"clips": {c["clip_id"]: c["path"] for c in clips}, "threads": step.plan.threads, "seed": step.plan.seed}
    result = step.train("action", {**request, "preset": step.plan.preset, "steps": step.plan.action_steps})
    return training_outcome(step, result, "loss")


ASSETS = [world_pilot, world_action]
