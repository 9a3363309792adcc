"""Decisions meet the proposals they are about."""

from __future__ import annotations

from g2w.ui.review.apply import reviewed
from g2w.ui.review.decisions import Decision, proposal_id
from g2w.ui.review.votes import resolve

ROW = {"clip_id": "c", "x": 1, "y": 2, "w": 30, "h": 40, "cls": "crosshair", "detector": "d@1"}


def test_reviewers_override_the_guess() -> None:
    other = {**ROW, "x": 500}
    said = [
        Decision(proposal_id(ROW), "ada", "accept", "map_radar", (5, 6, 70, 80), 1.0),
        Decision(proposal_id(other), "ada", "reject", None, None, 2.0),
    ]
    first, second, third = reviewed([ROW, other, {**ROW, "y": 300}], resolve(said))
    assert (first["review"], first["reviewers"], first["cls"]) == ("accepted", "ada", "map_radar")
    assert [first[name] for name in "xywh"] == [5, 6, 70, 80]
    assert (second["review"], second["cls"], second["x"]) == ("rejected", "crosshair", 500)
    assert (third["review"], third["reviewers"]) == (None, "")
