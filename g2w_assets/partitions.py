"""The one partitions definition and the one backfill policy."""

from __future__ import annotations

import dagster as dg

BATCHES = dg.DynamicPartitionsDefinition(name="batch")
"""A batch is a sealed list of source videos; a clip is a row, never a partition."""

BACKFILL = dg.BackfillPolicy.multi_run(max_partitions_per_run=1)
"""Shared by every batch asset: a job whose assets carry different policies silently uses the smallest."""
