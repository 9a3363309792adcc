"""The one way an asset of this graph is made: resolve parents by hash, do the work once, publish, hand on a handle."""

from __future__ import annotations

import base64
import inspect
import os
import platform
import resource
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import dagster as dg

from g2w.lineage.handle import Handle
from g2w.lineage.lake import Lake, Snapshot
from g2w.lineage.manifest import UNPARTITIONED, Parents, snapshot_id
from g2w.lineage.work import Workspace, open_workspace
from g2w_assets.partitions import BACKFILL, BATCHES
from g2w_assets.plan import Plan

PREVIEW = "preview.webp"
PREVIEW_LIMIT_BYTES = 100_000
OWNER = "team:data"
PACKAGES = ("dagster", "torch", "diffusers", "transformers", "peft", "numpy", "av", "vizdoom", "pyarrow")


@dataclass(frozen=True)
class Outcome:
    """What a stage says about the snapshot it has just made."""

    rows: int
    number: float
    rejected: int = 0
    summary: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StageSpec:
    """The fixed part of an asset."""

    key: str
    parents: tuple[str, ...]
    batch: bool
    version: str
    number: str
    recipe: Callable[[Plan], dict[str, Any]]

    def address(self, lake: Lake, plan: Plan, partition: str, parents: Parents) -> tuple[dict[str, Any], str]:
        """The recipe and the name of the snapshot that this plan and these parents ask for, made or not."""
        recipe = self.recipe(plan)
        if not self.parents:
            recipe = {**recipe, **lake.batch(partition).recipe}
        return recipe, snapshot_id(self.key, partition, recipe, self.version, parents)


_SPECS: WeakKeyDictionary[dg.AssetsDefinition, StageSpec] = WeakKeyDictionary()


def spec_of(asset: dg.AssetsDefinition) -> StageSpec:
    """The fixed part of an asset that `stage` has made."""
    return _SPECS[asset]


@dataclass
class Step:
    """One run of one stage: its inputs (resolved once, by hash), its workspace and the tools it may use."""

    spec: StageSpec
    context: dg.AssetExecutionContext
    lake: Lake
    plan: Plan
    partition: str
    inputs: Mapping[str, Mapping[str, Snapshot]]
    recipe: dict[str, Any]
    work: Workspace

    def one(self, asset: str) -> Snapshot:
        """The only snapshot of a parent that is not fanned in."""
        (snapshot,) = self.inputs[asset].values()
        return snapshot

    def rows(self, asset: str) -> list[dict[str, Any]]:
        """Rows of a parent over all its partitions, in order of the partitions."""
        return [row for snapshot in self.inputs[asset].values() for row in snapshot.rows()]

    @property
    def out(self) -> Path:
        """Folder the stage writes into."""
        return self.work.path

    def log(self, text: str) -> None:
        """One line for the run's log."""
        self.context.log.info(text)

    def map(
        self, function: Callable[..., Any], items: list[dict[str, Any]], *, crashed: Callable[..., Any]
    ) -> list[Any]:
        """Map a pure function over items on the engine, with progress in the log and finished items kept."""
        marks = {max(1, len(items) * tenth // 10) for tenth in (2, 4, 6, 8, 10)}

        def progress(done: int, total: int) -> None:
            if done in marks:
                self.log(f"{self.spec.key} [{self.partition}]: {done} of {total}")

        engine = self.context.resources.engine
        return list(engine.map(function, items, steps=self.work.steps, crashed=crashed, progress=progress))

    def train(self, task: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run a training child and return the result it left."""
        tags = {
            "dagster.run_id": self.context.run.run_id,
            "dagster.asset_key": self.spec.key,
            "g2w.snapshot": self.work.path.name.split("-")[1],
            **{f"g2w.inputs.{a.replace('/', '.')}": _first(p).manifest_sha256 for a, p in self.inputs.items()},
        }
        mlflow = self.context.resources.tracking.describe(tags)
        result: dict[str, Any] = self.context.resources.compute.run(
            self.context,
            module="g2w_assets.children.train",
            request={"task": task, "out": str(self.out), "mlflow": mlflow, **request},
            work=self.out,
        )
        return result


def _first(partitions: Mapping[str, Snapshot]) -> Snapshot:
    return next(iter(partitions.values()))


def stage(
    key: str,
    *,
    version: str,
    number: str,
    recipe: Callable[[Plan], dict[str, Any]],
    parents: Iterable[str] = (),
    batch: bool = False,
    kinds: Iterable[str] = (),
    pool: str | None = None,
) -> Callable[[Callable[[Step], Outcome]], dg.AssetsDefinition]:
    """Turn `fn(step) -> Outcome` into an asset.

    Args:
        key: "stage/noun"; the first part is the group.
        version: declared code version; change it when the same inputs would give other bytes.
        number: name of the one number that matters for this asset.
        recipe: the part of the plan that decides the bytes; it is hashed into the snapshot's name.
        parents: keys of the assets it reads.
        batch: partitioned by batch.
        kinds: technologies shown in the Dagster UI.
        pool: concurrency pool, for stages that train.
    """
    spec = StageSpec(key, tuple(parents), batch, version, number, recipe)

    def wrap(fn: Callable[[Step], Outcome]) -> dg.AssetsDefinition:
        # Dagster reads this annotation at run time, where a postponed one is only a string: so none is written.
        def body(context, **handles):
            return _run(spec, fn, context, handles)

        body.__name__ = key.replace("/", "__")
        body.__doc__ = fn.__doc__
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.BetaWarning)  # for backfill_policy, once per asset and process
            asset = _define(body, spec, fn, kinds, pool)
        _SPECS[asset] = spec
        return asset

    return wrap


def _define(
    body: Callable[..., Any], spec: StageSpec, fn: Callable[..., Any], kinds: Iterable[str], pool: str | None
) -> dg.AssetsDefinition:
    return dg.asset(
        key=spec.key.split("/"),
        group_name=spec.key.split("/")[0],
        ins={_argument(parent): dg.AssetIn(key=parent.split("/")) for parent in spec.parents},
        partitions_def=BATCHES if spec.batch else None,
        backfill_policy=BACKFILL if spec.batch else None,
        code_version=spec.version,
        kinds=set(kinds),
        owners=[OWNER],
        description=inspect.getdoc(fn),
        required_resource_keys={"lake", "engine", "plan", "compute", "tracking"},
        io_manager_key="io_manager",
        pool=pool,
    )(body)


def _argument(parent: str) -> str:
    return parent.replace("/", "__")


def _run(
    spec: StageSpec,
    fn: Callable[[Step], Outcome],
    context: dg.AssetExecutionContext,
    handles: Mapping[str, Handle | dict[str, Handle]],
) -> dg.MaterializeResult:
    lake: Lake = context.resources.lake.open()
    plan: Plan = context.resources.plan.load()
    partition = context.partition_key if spec.batch else UNPARTITIONED
    inputs = {parent: _open_all(lake, handles[_argument(parent)]) for parent in spec.parents}
    parents = {a: {p: s.manifest_sha256 for p, s in parts.items()} for a, parts in inputs.items()}
    recipe, snapshot = spec.address(lake, plan, partition, parents)
    found = lake.find(spec.key, partition, snapshot)
    if found is not None:
        context.log.info(f"{spec.key} [{partition}]: snapshot {found.handle.snapshot} is already there")
        return _result(spec, found)
    return _result(spec, _make(spec, fn, context, lake, plan, partition, inputs, parents, recipe))


def _open_all(lake: Lake, handle: Handle | dict[str, Handle]) -> dict[str, Snapshot]:
    if isinstance(handle, Handle):
        return {handle.partition: lake.open(handle)}
    return {partition: lake.open(each) for partition, each in sorted(handle.items())}


def _make(
    spec: StageSpec,
    fn: Callable[[Step], Outcome],
    context: dg.AssetExecutionContext,
    lake: Lake,
    plan: Plan,
    partition: str,
    inputs: Mapping[str, Mapping[str, Snapshot]],
    parents: Parents,
    recipe: dict[str, Any],
) -> Snapshot:
    work = open_workspace(
        lake, spec.key, partition, recipe=recipe, code_version=spec.version, parents=parents, run=context.run.run_id
    )
    started, cpu = time.time(), _cpu_seconds()
    outcome = fn(Step(spec, context, lake, plan, partition, inputs, recipe, work))
    seconds_cpu = _cpu_seconds() - cpu
    _drop_private(work.path)
    facts = {
        "dagster_run_id": context.run.run_id,
        "started_unix_s": round(started, 3),
        "seconds_wall": round(time.time() - started, 3),
        "seconds_cpu": round(seconds_cpu, 3),
        "seconds_gpu": 0.0,
        "cost": round(seconds_cpu / 3600 * plan.cost_per_cpu_hour, 6),
        "currency": plan.currency,
        "host": platform.node(),
        "platform": platform.platform(),
        "git": git_state(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        **outcome.facts,
    }
    summary = {"rejected": outcome.rejected, spec.number: outcome.number, **outcome.summary}
    return work.publish(rows=outcome.rows, summary=summary, run_facts=facts)


def _drop_private(folder: Path) -> None:
    shutil.rmtree(folder / ".child", ignore_errors=True)


def _result(spec: StageSpec, snapshot: Snapshot) -> dg.MaterializeResult:
    m, facts = snapshot.manifest, snapshot.run_facts
    values: dict[str, Any] = {
        "rows": m.rows,
        "rejected": m.summary["rejected"],
        "bytes": m.size_bytes,
        "seconds_cpu": float(facts.get("seconds_cpu", 0.0)),
        "seconds_gpu": float(facts.get("seconds_gpu", 0.0)),
        "cost": float(facts.get("cost", 0.0)),
        "recipe": dg.MetadataValue.json(dict(m.recipe)),
        spec.number: float(m.summary[spec.number]),
        "manifest": snapshot.manifest_sha256,
        "dagster/uri": snapshot.lake.url(snapshot.path),
        "dagster/row_count": m.rows,
    }
    if any(entry.path == PREVIEW for entry in m.files):
        values["preview"] = _preview(snapshot.local(PREVIEW))
    if "mlflow_url" in facts:
        values["mlflow"] = dg.MetadataValue.url(str(facts["mlflow_url"]))
    tags = {"g2w/snapshot": snapshot.handle.snapshot}
    return dg.MaterializeResult(
        value=snapshot.handle, metadata=values, data_version=dg.DataVersion(snapshot.manifest_sha256), tags=tags
    )


def _preview(path: Path) -> dg.MetadataValue:
    data = path.read_bytes()
    if len(data) > PREVIEW_LIMIT_BYTES:
        return dg.MetadataValue.path(str(path))
    return dg.MetadataValue.md(f"![preview](data:image/webp;base64,{base64.b64encode(data).decode()})")


def _cpu_seconds() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


@lru_cache(maxsize=1)
def git_state() -> dict[str, Any]:
    """Commit and dirty flag of the checkout this code runs from; a score from a dirty tree cannot be published."""
    root = Path(__file__).resolve().parent.parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
        ).stdout

    try:
        return {"commit": git("rev-parse", "HEAD").strip(), "dirty": bool(git("status", "--porcelain").strip())}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": True}
