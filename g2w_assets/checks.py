"""Asset checks: lineage agrees with Dagster's own record, and the numbers that gate a stage hold."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dagster as dg

from g2w.lineage.lake import Lake, Snapshot
from g2w.lineage.manifest import UNPARTITIONED

MAX_PARTITIONS_TRACKED = 100
"""At 100 upstream partitions Dagster stops recording their data versions (SKIP_PARTITION_DATA_VERSION_DEPENDENCY_THRESHOLD)."""


def build_checks(assets: Iterable[dg.AssetsDefinition]) -> list[dg.AssetChecksDefinition]:
    """One blocking `lineage_consistent` check per asset, and one gate per entry of GATES."""
    checks = [_lineage_check(asset.key) for asset in assets]
    return checks + [_gate_check(key, name, test, text) for key, name, test, text in GATES]


def _head(context: dg.AssetCheckExecutionContext, asset: str) -> Snapshot:
    lake: Lake = context.resources.lake.open()
    partition = context.run.tags.get("dagster/partition", UNPARTITIONED)
    handle = lake.head(asset, partition) or lake.head(asset, UNPARTITIONED)
    if handle is None:
        raise dg.Failure(f"{asset} [{partition}] has no current snapshot; materialize it first")
    return lake.open(handle)


def _lineage_check(key: dg.AssetKey) -> dg.AssetChecksDefinition:
    asset = "/".join(key.path)

    @dg.asset_check(
        asset=key,
        name="lineage_consistent",
        blocking=True,
        required_resource_keys={"lake"},
        description="The parents named in the manifest are the ones Dagster recorded as inputs of this materialization.",
    )
    def lineage_consistent(context) -> dg.AssetCheckResult:
        snapshot = _head(context, asset)
        event = context.instance.get_latest_materialization_event(key)
        tags = dict(event.asset_materialization.tags or {}) if event and event.asset_materialization else {}
        wrong = list(_mismatches(snapshot, tags))
        return dg.AssetCheckResult(
            passed=not wrong, metadata={"mismatches": wrong, "manifest": snapshot.manifest_sha256}
        )

    return lineage_consistent


def _mismatches(snapshot: Snapshot, tags: dict[str, str]) -> Iterable[str]:
    recorded = tags.get("dagster/data_version")
    if recorded != snapshot.manifest_sha256:
        yield f"data version {recorded} is not the manifest sha256 {snapshot.manifest_sha256}"
    for parent, partitions in snapshot.manifest.parents.items():
        version = tags.get(f"dagster/input_data_version/{parent}")
        if version is None or len(partitions) >= MAX_PARTITIONS_TRACKED:
            continue
        if version not in expected_versions(partitions):
            yield f"{parent}: Dagster read {version[:16]}, the manifest names {sorted(partitions.items())}"


def expected_versions(partitions: Mapping[str, str]) -> set[str]:
    """Data versions Dagster may record for one edge.

    Unpartitioned: the parent's own. Partitioned: the sha256 of the concatenated versions of the mapped partitions
    (measured on dagster 1.13.27; the order is that of the partition keys).
    """
    digests = [digest for _, digest in sorted(partitions.items())]
    joined = hashlib.sha256("".join(digests).encode("utf-8")).hexdigest()
    return {joined, *digests} if len(digests) == 1 else {joined}


def _gate_check(asset: str, name: str, test: Callable[[dict[str, Any]], bool], text: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(
        asset=dg.AssetKey(asset.split("/")), name=name, blocking=True, required_resource_keys={"lake"}, description=text
    )
    def gate(context) -> dg.AssetCheckResult:
        summary = dict(_head(context, asset).manifest.summary)
        return dg.AssetCheckResult(passed=test(summary), metadata={"summary": dg.MetadataValue.json(summary)})

    return gate


GATES: list[tuple[str, str, Callable[[dict[str, Any]], bool], str]] = [
    (
        "bench/sets",
        "not_contaminated",
        lambda s: s["contaminated"] == 0,
        "No clip, video or game of the benchmark is in the training data.",
    ),
    (
        "bench/removal",
        "negative_controls",
        lambda s: bool(s["controls_ok"]),
        "Copying the input scores AAR 0 and BG 100; the truth scores 100 and 100; black boxes at most 5.",
    ),
    (
        "bench/removal",
        "no_errors",
        lambda s: s["errors"] == 0,
        "Every verdict was given; an error is never counted as a zero.",
    ),
]
"""(asset, check, test over the manifest's summary, what it means)."""
