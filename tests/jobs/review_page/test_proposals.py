"""What is handed to reviewers, and what never is."""

from __future__ import annotations

from pathlib import Path

import pytest

from g2w.lineage.work import open_workspace
from jobs.review_page.proposals import StaleProposals, current_proposals
from tests.jobs.review_lake import ROWS, build_lake


def test_training_proposals_come_with_their_clip(tmp_path: Path) -> None:
    rows = current_proposals(build_lake(tmp_path).root)
    assert [row["x"] for row in rows] == [20, 900], "neither bench clips nor errors"
    assert all(Path(row["path"]).is_file() for row in rows)


def test_what_follows_the_world_or_the_pointer_is_not_handed_out(tmp_path: Path) -> None:
    other = [{**ROWS[0], "x": 500, "anchor": anchor} for anchor in ("world_projected", "cursor")]
    rows = current_proposals(build_lake(tmp_path, [*ROWS, *other]).root)
    assert [row["x"] for row in rows] == [20, 900]


def test_proposals_of_an_older_version_are_refused(tmp_path: Path) -> None:
    older = [{name: value for name, value in row.items() if name != "anchor"} for row in ROWS]
    with pytest.raises(StaleProposals, match=r"of an older version: materialize ui/proposals again"):
        current_proposals(build_lake(tmp_path, older).root)


def test_proposals_of_clips_that_were_replaced_are_refused(tmp_path: Path) -> None:
    lake = build_lake(tmp_path)
    work = open_workspace(lake, "raw/clips", "b00001", recipe={"new": 1}, code_version="2", parents={}, run="r2")
    work.write_table([{"clip_id": "c2", "file": "c2.mp4", "verdict": "ok"}])
    lake.set_head(work.publish(rows=1, summary={"rejected": 0}, run_facts={}).handle)
    with pytest.raises(StaleProposals, match=r"batch b00001 .* materialize ui/proposals again"):
        current_proposals(lake.root)
