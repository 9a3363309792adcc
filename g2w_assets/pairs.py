"""Synthetic pairs: verified clean clips, recipes that can be rendered again bit for bit, and the rendered few."""

from __future__ import annotations

from typing import Any

from g2w_assets import shards
from g2w_assets.corpus import accepted_clips
from g2w_assets.plan import Plan
from g2w_assets.stage import PREVIEW, Outcome, Step, stage


@stage(
    "pairs/clean_clips",
    version="1",
    number="clean",
    recipe=lambda plan: plan.recipe(),
    parents=["corpus/selected", "corpus/scores"],
    kinds=["parquet"],
)
def pairs_clean_clips(step: Step) -> Outcome:
    """Selected clips that were measured to be free of interface, split by game into train and bench.

    A game is on one side only: the table is refused if any game appears in both.
    """
    from g2w.curation.clean import clean_clips

    rows, refused = clean_clips(step.rows("corpus/selected"), step.rows("corpus/scores"))
    return Outcome(step.work.write_table(rows), number=len(rows), rejected=refused)


def _recipes_recipe(plan: Plan) -> dict[str, Any]:
    return plan.recipe("train_recipes", "bench_recipes", "pair_num_frames", "bench_num_frames", "randomization", "seed")


@stage(
    "pairs/recipes",
    version="2",
    number="recipes",
    recipe=_recipes_recipe,
    parents=["pairs/clean_clips", "ui/library"],
    kinds=["parquet"],
)
def pairs_recipes(step: Step) -> Outcome:
    """One row per pair: which elements, where, when, how they move. Everything needed to render it again, bit for bit.

    Training recipes use style set a and elements cut from training footage; benchmark recipes use style set b only.
    """
    from g2w.synth.recipe import SynthConfig, sample_recipes

    plan, clips = step.plan, step.rows("pairs/clean_clips")
    library = step.one("ui/library").rows("assets.parquet")
    rows = []
    for split, count, frames in (
        ("train", plan.train_recipes, plan.pair_num_frames),
        ("bench", plan.bench_recipes, plan.bench_num_frames),
    ):
        config = SynthConfig(num_frames=frames, groups=plan.randomization)
        if split == "bench":
            # The judge compares the background with the clean side, and would blame a cleaner for a codec's damage.
            config = config.without("codec")
        rows += sample_recipes(clips, library, count=count, seed=plan.seed, split=split, config=config)
    return Outcome(step.work.write_table(rows), number=len(rows))


@stage(
    "pairs/rendered",
    version="5",
    number="pairs",
    recipe=lambda plan: plan.recipe("rendered_train_pairs"),
    parents=["raw/clips", "pairs/recipes", "ui/library"],
    kinds=["ffmpeg", "parquet"],
)
def pairs_rendered(step: Step) -> Outcome:
    """Pairs written out as files: all of the benchmark's, and the first few of the training set to look at.

    The clean side is never encoded again: it is the clip itself. Training composes its pairs while it reads.
    """
    clips = {clip["clip_id"]: clip for clip in accepted_clips(step)}
    recipes = step.rows("pairs/recipes")
    train = [row for row in recipes if row["split"] == "train"][: step.plan.rendered_train_pairs]
    chosen = train + [row for row in recipes if row["split"] == "bench"]
    library = str(step.one("ui/library").local_dir())
    items = [
        {"recipe": row, "clip": clips[row["clip_id"]]["path"], "library": library, "out": str(step.out)}
        for row in chosen
    ]
    rows = [row for rows in step.map(shards.render_pair, items, crashed=shards.render_crashed) for row in rows]
    good = [row for row in rows if row["verdict"] == "ok"]
    shards.contact_sheet([step.out / row["ui"] for row in good], step.out / PREVIEW)
    return Outcome(step.work.write_table(rows), number=len(good), rejected=len(rows) - len(good))


ASSETS = [pairs_clean_clips, pairs_recipes, pairs_rendered]
