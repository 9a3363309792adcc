"""The lake as a Dagster resource, and the IO manager that passes handles."""

from __future__ import annotations

import dagster as dg

from g2w.lineage.handle import Handle
from g2w.lineage.lake import Lake


class LakeResource(dg.ConfigurableResource):
    """Where all data lies: a local folder or an fsspec URL such as s3://bucket/prefix."""

    root: str
    cache_dir: str = ""

    def open(self) -> Lake:
        """The lake itself, which knows nothing of Dagster."""
        return Lake(self.root, self.cache_dir or None)


class MissingBatches(Exception):
    """A fan-in asset was asked for while a sealed batch has not been materialized upstream."""


class HandleIOManager(dg.ConfigurableIOManager):
    """Stores a handle as JSON per asset and partition; loads one handle, or one per sealed batch for a fan-in.

    Dagster lets an unpartitioned asset run while upstream partitions are missing, so the sealed list decides here.
    """

    lake: LakeResource

    def handle_output(self, context: dg.OutputContext, obj: Handle) -> None:
        """Make the snapshot the current one of its asset and partition."""
        if not isinstance(obj, Handle):
            raise TypeError(
                f"{context.asset_key.to_user_string()} returned {type(obj).__name__}; assets return a Handle"
            )
        self.lake.open().set_head(obj)

    def load_input(self, context: dg.InputContext) -> Handle | dict[str, Handle]:
        """Handle of the upstream asset; for a fan-in over batches a dict batch -> handle.

        Raises:
            MissingBatches: naming every sealed batch that has no current snapshot.
        """
        lake = self.lake.open()
        asset = "/".join(context.asset_key.path)
        fan_in = context.has_asset_partitions and not context.has_partition_key
        if not fan_in:
            partition = context.partition_key if context.has_asset_partitions else "all"
            return self._load(lake, asset, [partition])[partition]
        batches = lake.batches()
        if not batches:
            raise MissingBatches(
                f"{asset}: no batch is sealed yet; record or ingest footage first (g2w demo, g2w seal)"
            )
        return self._load(lake, asset, batches)

    @staticmethod
    def _load(lake: Lake, asset: str, partitions: list[str]) -> dict[str, Handle]:
        heads = {partition: lake.head(asset, partition) for partition in partitions}
        missing = [partition for partition, head in heads.items() if head is None]
        if missing:
            raise MissingBatches(f"{asset} has not been materialized for {', '.join(missing)}; materialize it first")
        return {partition: head for partition, head in heads.items() if head is not None}
