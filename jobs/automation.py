"""Jobs, the re-cleaning schedule and the inbox sensor."""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg

from g2w_assets import settings
from g2w_assets.partitions import BATCHES
from g2w_assets.plan import plan_resource
from jobs.sealing import seal_folder
from resources.lake import LakeResource

INGEST_KEYS = ("raw/videos", "raw/clips", "corpus/scores", "corpus/embeddings", "ui/keyframes", "ui/proposals")
LEARN_KEYS = (
    "corpus/selected",
    "ui/library",
    "pairs/clean_clips",
    "pairs/recipes",
    "pairs/rendered",
)
TRAIN_KEYS = (
    "cleaner/checkpoint",
    "cleaner/lite",
    "world/action",
    "world/pilot",
    "bench/sets",
    "bench/pilot",
    "bench/actions",
)
CLEAN_KEYS = ("cleaned/clips",)
PROVE_KEYS = (
    "bench/outputs",
    "bench/verdicts",
    "bench/removal",
    "bench/judges",
    "bench/report",
)

SIDE_BY_SIDE = dg.multiprocess_executor.configured({"max_concurrent": plan_resource().load().parallel_steps})
"""For jobs whose long steps do not need each other: each step is a process, which costs it about two seconds."""


def _job(
    name: str,
    keys: tuple[str, ...],
    text: str,
    *,
    batch: bool = False,
    executor: dg.ExecutorDefinition | None = None,
) -> dg.UnresolvedAssetJobDefinition:
    return dg.define_asset_job(
        name,
        selection=dg.AssetSelection.assets(*[key.split("/") for key in keys]),
        partitions_def=BATCHES if batch else None,
        description=text,
        executor_def=executor,
        tags={"dagster/max_runtime": "86400", "g2w/kind": name},
    )


ingest = _job("ingest", INGEST_KEYS, "Probe, cut, score and embed one batch, and propose its UI elements.", batch=True)
learn = _job(
    "learn", LEARN_KEYS, "Select clips, build the UI library, the pairs and those of them that are wanted as files."
)
train = _job(
    "train",
    TRAIN_KEYS,
    "Train the UI removers and the world models, measure the latter and build the benchmark's sets, side by side.",
    executor=SIDE_BY_SIDE,
)
clean = _job(
    "clean", CLEAN_KEYS, "Remove the UI from the wild clips of one batch with the current checkpoint.", batch=True
)
prove = _job("prove", PROVE_KEYS, "Judge every system and write the report.", executor=SIDE_BY_SIDE)
JOBS = [ingest, learn, train, clean, prove]


@dg.schedule(job=clean, cron_schedule="0 3 * * 1", name="reclean_weekly")
def reclean_weekly(lake: LakeResource) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Clean every sealed batch again if the cleaner has changed since; unchanged batches are no-ops."""
    store = lake.open()
    checkpoints = [store.head(asset, "all") for asset in ("cleaner/lite", "cleaner/checkpoint")]
    if not all(checkpoints):
        yield dg.SkipReason("no cleaner has been trained yet")
        return
    version = "-".join(head.snapshot for head in checkpoints if head is not None)
    for batch in store.batches():
        yield dg.RunRequest(run_key=f"{batch}-{version}", partition_key=batch)


@dg.sensor(job=ingest, name="inbox", minimum_interval_seconds=60)
def inbox(lake: LakeResource) -> dg.SensorResult | dg.SkipReason:
    """Seal the videos that have come to rest in the inbox into a new batch and ingest it."""
    folder = settings.inbox()
    batch = seal_folder(lake.open(), folder, settle_s=60.0) if folder.is_dir() else None
    if batch is None:
        return dg.SkipReason(f"no unsealed video is at rest in {folder}")
    return dg.SensorResult(
        run_requests=[dg.RunRequest(run_key=batch.key, partition_key=batch.key)],
        dynamic_partitions_requests=[BATCHES.build_add_request([batch.key])],
    )


SCHEDULES = [reclean_weekly]
SENSORS = [inbox]
