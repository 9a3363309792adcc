"""What a run would make: the snapshots that the stages would ask for, named without running any of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from graphlib import TopologicalSorter

import dagster as dg

from g2w.lineage.lake import Lake, Snapshot
from g2w.lineage.manifest import UNPARTITIONED
from g2w_assets.plan import Plan
from g2w_assets.stage import StageSpec, spec_of


@dataclass(frozen=True)
class Planned:
    """One snapshot that a run of the graph would ask for.

    Attributes:
        snapshot: its name, None while a parent has to be made first: a name holds the contents of its parents.
        found: the snapshot itself if it was already published.
    """

    asset: str
    partition: str
    snapshot: str | None
    found: Snapshot | None


def plan_snapshots(assets: Iterable[dg.AssetsDefinition], lake: Lake, plan: Plan) -> list[Planned]:
    """Every snapshot of these assets in the order in which a run would make them; parents that are not given are not there."""
    specs = {spec.key: spec for spec in map(spec_of, assets)}
    order = TopologicalSorter({key: [p for p in spec.parents if p in specs] for key, spec in specs.items()})
    batches, found = lake.batches(), dict[str, dict[str, Snapshot]]()
    planned = []
    for key in order.static_order():
        spec = specs[key]
        found[key] = {}
        for partition in batches if spec.batch else [UNPARTITIONED]:
            name = _name(spec, lake, plan, partition, specs, found, batches)
            snapshot = lake.find(key, partition, name) if name else None
            if snapshot is not None:
                found[key][partition] = snapshot
            planned.append(Planned(key, partition, name, snapshot))
    return planned


def _name(
    spec: StageSpec,
    lake: Lake,
    plan: Plan,
    partition: str,
    specs: dict[str, StageSpec],
    found: dict[str, dict[str, Snapshot]],
    batches: list[str],
) -> str | None:
    parents = {}
    for parent in spec.parents:
        if parent not in specs:
            return None
        # A batch reads its own batch; everything else reads all of them, and cannot run before the first is sealed.
        wanted = [partition] if spec.batch else batches
        wanted = wanted if specs[parent].batch else [UNPARTITIONED]
        if not wanted or any(each not in found[parent] for each in wanted):
            return None
        parents[parent] = {each: found[parent][each].manifest_sha256 for each in wanted}
    return spec.address(lake, plan, partition, parents)[1]
