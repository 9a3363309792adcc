"""The whole graph, once, in order: footage, ingest per batch, learn, clean per batch, prove."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from g2w.lineage.batch import Batch, describe_sources
from g2w.lineage.lake import Lake
from g2w_assets import settings
from g2w_assets.definitions import ASSETS, defs
from g2w_assets.partitions import BATCHES
from g2w_assets.pending import plan_snapshots
from g2w_assets.plan import Plan
from jobs.sealing import list_videos, seal
from resources.engine import EngineResource

Say = Callable[[str], None]
QUIET = {"loggers": {"console": {"config": {"log_level": "INFO"}}}}
"""Show what the stages say; the engine's own events go to the database."""


class DemoFailed(Exception):
    """A run of the graph ended in failure; the message names the run and the step."""


@dataclass(frozen=True)
class DemoResult:
    """What a finished run of the graph left."""

    seconds: float
    batches: tuple[str, ...]
    report: Path


def record_episode(item: dict[str, Any]) -> list[dict[str, Any]]:
    """Render one episode into the inbox (a shard function: runs in a worker)."""
    from g2w.footage.episode import render_episode
    from g2w.footage.plan import episode_from_recipe

    return list(render_episode(episode_from_recipe(item["episode"]), Path(item["inbox"])))


def record_footage(plan: Plan, engine: EngineResource, inbox: Path, say: Say) -> list[list[Path]]:
    """Render the embedded footage, skipping what is there; returns one list of videos per batch (train, bench)."""
    from g2w.footage.plan import demo_plan, footage_recipe

    inbox.mkdir(parents=True, exist_ok=True)
    items = [
        {"episode": footage_recipe(config), "inbox": str(inbox)}
        for config in demo_plan(plan.preset, share=plan.footage_share)
    ]
    results = engine.map(
        record_episode,
        items,
        steps=inbox / ".steps",
        crashed=lambda item: [{"name": "", "split": "", "episode": str(item["episode"])}],
        progress=lambda done, total: say(f"footage: {done} of {total} episodes"),
    )
    rows = [row for rows in results for row in rows]
    lost = [row["episode"] for row in rows if not row["name"]]
    if lost:
        raise DemoFailed(f"the game engine crashed while rendering {lost}; run the command again to retry")
    return [[inbox / f"{row['name']}.mp4" for row in rows if row["split"] == split] for split in ("train", "bench")]


def prepare(lake: Lake, plan: Plan, engine: EngineResource, videos: Path | None, say: Say) -> list[Batch]:
    """Record the embedded footage, add the user's folder if there is one, and seal the batches."""
    groups = record_footage(plan, engine, settings.inbox(), say)
    if videos is not None:
        own = list_videos(videos)
        if not own:
            raise DemoFailed(f"{videos} holds no video files")
        groups.append(own)
    batches = [seal(lake, list(describe_sources(group))) for group in groups if group]
    for batch in batches:
        say(f"batch {batch.key}: {len(batch.sources)} videos")
    return batches


def train_job() -> dg.JobDefinition:
    """The job `train`, under a name that its processes can import."""
    return defs.resolve_job_def("train")


def prove_job() -> dg.JobDefinition:
    """The job `prove`, under a name that its processes can import."""
    return defs.resolve_job_def("prove")


SIDE_BY_SIDE = {"train": train_job, "prove": prove_job}


def _run_job(instance: dg.DagsterInstance, name: str, partition: str | None, *, work: bool) -> None:
    # A process for each step costs it two seconds: worth it for steps that have something to do.
    if name in SIDE_BY_SIDE and work:
        with dg.execute_job(
            dg.reconstructable(SIDE_BY_SIDE[name]), instance, run_config=QUIET, raise_on_error=False
        ) as result:
            _refuse_failure(result, name)
    else:
        _refuse_failure(
            defs.resolve_job_def(name).execute_in_process(
                instance=instance, partition_key=partition, raise_on_error=False, run_config=QUIET
            ),
            name,
        )


def _refuse_failure(result: dg.ExecuteInProcessResult | dg.JobExecutionResult, name: str) -> None:
    if not result.success:
        failed = [event.step_key for event in result.get_step_failure_events()]
        raise DemoFailed(f"job {name} failed at {', '.join(map(str, failed))} (run {result.run_id}); see the log above")


def _has_work(lake: Lake, plan: Plan, job: str) -> bool:
    keys = {key.to_user_string() for key in defs.resolve_job_def(job).asset_layer.executable_asset_keys}
    return any(each.found is None for each in plan_snapshots(ASSETS, lake, plan) if each.asset in keys)


def run_graph(instance: dg.DagsterInstance, lake: Lake, plan: Plan, say: Say) -> None:
    """Run the five jobs of the graph in order, over every sealed batch.

    Raises:
        DemoFailed: at the first run that fails.
    """
    # Every sealed batch takes part: a fan-in asset refuses to run while one is missing.
    keys = lake.batches()
    present = set(instance.get_dynamic_partitions(BATCHES.name or "batch"))
    missing = [key for key in keys if key not in present]
    if missing:
        instance.add_dynamic_partitions(BATCHES.name or "batch", missing)
    for name, partitions in (
        ("ingest", keys),
        ("learn", [None]),
        ("train", [None]),
        ("clean", keys),
        ("prove", [None]),
    ):
        for partition in partitions:
            say(f"job {name}" + (f" [{partition}]" if partition else ""))
            _run_job(instance, name, partition, work=_has_work(lake, plan, name))


def run_demo(videos: Path | None, say: Say) -> DemoResult:
    """Everything, from rendering to the report. A second call finds all of it done."""
    started = time.monotonic()
    os.environ.setdefault("DAGSTER_HOME", str(settings.home()))
    settings.home().mkdir(parents=True, exist_ok=True)
    resources = defs.resources or {}
    lake: Lake = resources["lake"].open()
    plan: Plan = resources["plan"].load()
    batches = prepare(lake, plan, resources["engine"], videos, say)
    with dg.DagsterInstance.get() as instance:
        run_graph(instance, lake, plan, say)
    head = lake.head("bench/report", "all")
    if head is None:
        raise DemoFailed("the graph ran but left no report")
    report = lake.open(head).local_dir() / "report.html"
    return DemoResult(time.monotonic() - started, tuple(batch.key for batch in batches), report)
