"""The machinery of every asset, on a toy graph: batch -> batch -> fan-in, in a real Dagster instance."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake
from g2w_assets.checks import _lineage_check
from g2w_assets.partitions import BATCHES
from g2w_assets.pending import plan_snapshots
from g2w_assets.plan import PlanError, PlanResource, tiny
from g2w_assets.stage import Outcome, Step, stage
from resources.compute import LocalCompute
from resources.engine import EngineResource
from resources.lake import HandleIOManager, LakeResource, MissingBatches
from resources.tracking import TrackingResource

CALLS: list[str] = []


def toy(prefix: str = "toy"):
    @stage("raw/videos", version="1", number="accepted", recipe=lambda plan: {}, batch=True, kinds={"parquet"})
    def videos(step: Step) -> Outcome:
        """Source rows."""
        CALLS.append(f"videos {step.partition}")
        rows = [{"name": s.name} for s in step.lake.batch(step.partition).sources]
        return Outcome(rows=step.work.write_table(rows), number=len(rows))

    @stage(
        "raw/clips", version="1", number="clips", recipe=lambda p: p.recipe("seed"), parents=["raw/videos"], batch=True
    )
    def clips(step: Step) -> Outcome:
        """Clip rows."""
        CALLS.append(f"clips {step.partition}")
        rows = [{"clip": f"{row['name']}-{step.plan.seed}"} for row in step.rows("raw/videos")]
        return Outcome(rows=step.work.write_table(rows), number=len(rows), rejected=1)

    @stage("corpus/selected", version="1", number="kept", recipe=lambda p: {}, parents=["raw/clips"])
    def selected(step: Step) -> Outcome:
        """Fan-in."""
        CALLS.append(f"selected {sorted(step.inputs['raw/clips'])}")
        return Outcome(rows=step.work.write_table(step.rows("raw/clips")), number=1.0)

    return [videos, clips, selected]


def build(root: Path, overrides: str = "{}") -> dg.Definitions:
    assets = toy()
    lake = LakeResource(root=str(root))
    return dg.Definitions(
        assets=assets,
        asset_checks=[_lineage_check(asset.key) for asset in assets],
        jobs=[
            dg.define_asset_job(
                "ingest", dg.AssetSelection.assets(["raw", "videos"], ["raw", "clips"]), partitions_def=BATCHES
            ),
            dg.define_asset_job("learn", dg.AssetSelection.assets(["corpus", "selected"])),
        ],
        resources={
            "lake": lake,
            "plan": PlanResource(overrides=overrides),
            "engine": EngineResource(workers=1),
            "compute": LocalCompute(),
            "tracking": TrackingResource(uri="sqlite:///unused.db"),
            "io_manager": HandleIOManager(lake=lake),
        },
        executor=dg.in_process_executor,
    )


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    for number in (1, 2):
        sources = (Source(f"v{number}.mp4", f"/v{number}.mp4", str(number) * 64, 1, {}),)
        lake.seal(Batch(f"b0000{number}", sources))
    CALLS.clear()
    return lake


def run(defs: dg.Definitions, instance: dg.DagsterInstance, job: str, partition: str | None = None, **kwargs):
    if partition:
        instance.add_dynamic_partitions("batch", [partition])
    return defs.resolve_job_def(job).execute_in_process(instance=instance, partition_key=partition, **kwargs)


def test_graph_runs_passes_its_checks_and_then_does_nothing(lake: Lake) -> None:
    defs = build(Path(lake.root))
    with dg.DagsterInstance.ephemeral() as instance:
        for batch in ("b00001", "b00002"):
            assert run(defs, instance, "ingest", batch).success
        result = run(defs, instance, "learn")
        assert result.success
        assert [row["clip"] for row in lake.open(lake.head("corpus/selected", "all")).rows()] == [
            "v1.mp4-0",
            "v2.mp4-0",
        ]
        evaluations = result.get_asset_check_evaluations()
        assert [(e.check_name, e.passed) for e in evaluations] == [("lineage_consistent", True)]
        event = instance.get_latest_materialization_event(dg.AssetKey(["corpus", "selected"]))
        tags = event.asset_materialization.tags
        assert tags["dagster/data_version"] == lake.head("corpus/selected", "all").manifest_sha256
        metadata = event.asset_materialization.metadata
        assert {"rows", "rejected", "bytes", "seconds_cpu", "seconds_gpu", "cost", "recipe", "kept"} <= set(metadata)
        assert len(CALLS) == 5
        heads = {p: lake.head("raw/clips", p) for p in ("b00001", "b00002")}
        assert run(defs, instance, "ingest", "b00001").success
        assert run(defs, instance, "learn").success
        assert len(CALLS) == 5, "finished work must not be done again"
        assert {p: lake.head("raw/clips", p) for p in ("b00001", "b00002")} == heads


def test_what_a_run_would_make_is_known_before_it_runs(lake: Lake) -> None:
    root = Path(lake.root)
    defs, changed = build(root), PlanResource(overrides='{"seed": 7}').load()
    assets = list(defs.assets or [])
    before = plan_snapshots(assets, lake, tiny())
    assert [(p.asset, p.partition, p.snapshot is None) for p in before] == [
        ("raw/videos", "b00001", False),
        ("raw/videos", "b00002", False),
        ("raw/clips", "b00001", True),
        ("raw/clips", "b00002", True),
        ("corpus/selected", "all", True),
    ]
    assert all(p.found is None for p in before)
    with dg.DagsterInstance.ephemeral() as instance:
        for batch in ("b00001", "b00002"):
            assert run(defs, instance, "ingest", batch).success
        assert run(defs, instance, "learn").success
    after = {(p.asset, p.partition): p for p in plan_snapshots(assets, lake, tiny())}
    for (asset, partition), planned in after.items():
        assert planned.found is not None and planned.found.handle == lake.head(asset, partition)
    again = {(p.asset, p.partition): p for p in plan_snapshots(assets, lake, changed)}
    assert again["raw/videos", "b00001"].found is not None, "its recipe has no seed"
    assert again["raw/clips", "b00001"].snapshot and again["raw/clips", "b00001"].found is None
    assert again["corpus/selected", "all"].snapshot is None, "it is named after its parents' contents"


def test_a_fan_in_refuses_a_missing_batch_by_name(lake: Lake) -> None:
    defs = build(Path(lake.root))
    with dg.DagsterInstance.ephemeral() as instance:
        assert run(defs, instance, "ingest", "b00001").success
        with pytest.raises(Exception, match="b00002") as caught:
            run(defs, instance, "learn")
        assert isinstance(caught.value.__cause__ or caught.value, (MissingBatches, Exception))


def test_a_changed_plan_makes_a_new_snapshot_and_keeps_the_old(lake: Lake) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert run(build(Path(lake.root)), instance, "ingest", "b00001").success
        old = lake.head("raw/clips", "b00001")
        assert run(build(Path(lake.root), '{"seed": 7}'), instance, "ingest", "b00001").success
        new = lake.head("raw/clips", "b00001")
        assert new.snapshot != old.snapshot and lake.open(old).rows() != lake.open(new).rows()
        assert lake.open(new).manifest.recipe["seed"] == 7


def test_a_swapped_parent_is_caught_by_the_lineage_check(lake: Lake) -> None:
    """Somebody changes what the head says after Dagster recorded its inputs: the check must see it."""
    defs = build(Path(lake.root))
    with dg.DagsterInstance.ephemeral() as instance:
        for batch in ("b00001", "b00002"):
            assert run(defs, instance, "ingest", batch).success
        assert run(build(Path(lake.root), '{"seed": 9}'), instance, "ingest", "b00001").success
        # Dagster's record still says seed 9 for b00001, but the head is moved back to the first snapshot by hand.
        first = next(s for s in lake.snapshots("raw/clips", "b00001") if s.manifest.recipe["seed"] == 0)
        lake.set_head(first.handle)
        result = run(defs, instance, "learn", raise_on_error=False)
        assert [e.passed for e in result.get_asset_check_evaluations()] == [False]


def test_the_plan_refuses_what_it_does_not_know() -> None:
    with pytest.raises(PlanError, match="unknown plan fields: sede"):
        PlanResource(overrides='{"sede": 1}').load()
    with pytest.raises(PlanError, match="choose tiny, dev, paper"):
        PlanResource(preset="huge").load()
    with pytest.raises(PlanError, match="share"):
        PlanResource(overrides='{"rejection_budget": 2}').load()
