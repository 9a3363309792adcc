"""What there is to review: the current proposals of training clips."""

from __future__ import annotations

from typing import Any

from g2w.lineage.lake import Lake


class StaleProposals(ValueError):
    """A batch got other clips, or the code other columns, after its proposals were made."""


def current_proposals(lake_root: str) -> list[dict[str, Any]]:
    """Proposals of training clips over all batches, each with the `path` of its clip; bench footage is never shown, nor
    what has no place of its own on the screen, which is never cut.

    Raises:
        StaleProposals: if the clips of a batch are not those that its proposals were made from.
    """
    lake = Lake(lake_root)
    return [row for batch in lake.batches() for row in _of_batch(lake, batch)]


def _of_batch(lake: Lake, batch: str) -> list[dict[str, Any]]:
    head, clips_head = lake.head("ui/proposals", batch), lake.head("raw/clips", batch)
    if head is None or clips_head is None:
        return []
    clips = lake.open(clips_head)
    paths = {row["clip_id"]: str(clips.local_dir() / row["file"]) for row in clips.rows() if row["verdict"] == "ok"}
    found = lake.open(head).rows()
    if any("anchor" not in row for row in found):
        raise StaleProposals(f"the proposals of batch {batch} are of an older version: materialize ui/proposals again")
    rows = [row for row in found if row["status"] == "ok" and row["split"] == "train" and row["anchor"] == "screen"]
    if any(row["clip_id"] not in paths for row in rows):
        raise StaleProposals(
            f"the proposals of batch {batch} are of other clips than it has now: materialize ui/proposals again"
        )
    return [{**row, "path": paths[row["clip_id"]]} for row in rows]
