"""The code location: every asset, check, job, schedule and sensor, with the resources they use."""

from __future__ import annotations

import importlib

import dagster as dg

from g2w_assets import bench, cleaner, corpus, pairs, raw, settings, ui, world
from g2w_assets.checks import build_checks
from g2w_assets.logs import g2w_console
from g2w_assets.plan import plan_resource
from resources.compute import LocalCompute
from resources.engine import EngineResource
from resources.lake import HandleIOManager, LakeResource
from resources.tracking import TrackingResource

ASSETS = [*raw.ASSETS, *corpus.ASSETS, *ui.ASSETS, *pairs.ASSETS, *cleaner.ASSETS, *world.ASSETS, *bench.ASSETS]


def build_resources() -> dict[str, object]:
    """Resources as the environment asks for them."""
    lake = LakeResource(root=settings.lake_root())
    plan = plan_resource()
    numbers = plan.load()
    artifacts = (settings.home() / "mlartifacts").as_uri()
    return {
        "lake": lake,
        "plan": plan,
        "engine": EngineResource(workers=numbers.workers, backend=settings.engine(), address=settings.ray_address()),
        "compute": LocalCompute(threads=numbers.threads),
        "tracking": TrackingResource(uri=settings.mlflow_uri(), artifacts=artifacts),
        "io_manager": HandleIOManager(lake=lake),
    }


# This module is the composition root: the one place that must see every floor. Naming `jobs` by string keeps the
# import arrow (jobs -> g2w_assets) one-way for every other module, and a test walks the imports to prove it.
_automation = importlib.import_module("jobs.automation")

defs = dg.Definitions(
    assets=ASSETS,
    asset_checks=build_checks(ASSETS),
    jobs=_automation.JOBS,
    schedules=_automation.SCHEDULES,
    sensors=_automation.SENSORS,
    resources=build_resources(),
    executor=dg.in_process_executor,
    loggers={"console": g2w_console},
)
