"""Many reviewers, one outcome."""

from __future__ import annotations

import pytest

from g2w.ui.review.decisions import Decision
from g2w.ui.review.votes import agreement, resolve


def say(who: str, verdict: str, cls: str = "crosshair", x: int = 0, proposal: str = "p") -> Decision:
    box = (x, 0, 10, 10) if verdict == "accept" else None
    return Decision(proposal, who, verdict, cls if verdict == "accept" else None, box, 1.0)


def test_the_majority_carries_and_its_boxes_meet_in_the_middle() -> None:
    said = [say("ada", "accept", x=2), say("bo", "accept", x=4), say("cy", "reject"), say("di", "accept", x=40)]
    outcome = resolve(said)["p"]
    assert (outcome.state, outcome.cls, outcome.box) == ("accepted", "crosshair", (4, 0, 10, 10))
    assert outcome.accepted_by == "ada, bo, di"
    assert resolve([*said[:1], *said[2:3], say("ed", "reject")])["p"].state == "rejected"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([say("ada", "accept"), say("bo", "reject")], "1 for, 1 against"),
        ([say("ada", "accept"), say("bo", "accept", "subtitle")], "classes"),
        ([say("ada", "skip")], "0 of 1 votes"),
    ],
)
def test_ties_wait_for_a_person(said: list[Decision], why: str) -> None:
    outcome = resolve(said)["p"]
    assert outcome.state == "open" and why in str(outcome.why_open) and outcome.box is None


def test_a_quorum_is_waited_for() -> None:
    said = [say("ada", "accept")]
    assert resolve(said)["p"].state == "accepted"
    assert resolve(said, quorum=2)["p"].why_open == "1 of 2 votes"
    with pytest.raises(ValueError, match="quorum"):
        resolve(said, quorum=0)


def test_agreement_counts_shared_votes_only() -> None:
    said = [say(who, verdict, proposal=p) for who, row in {"ada": "aara", "bo": "aarr", "cy": "a"}.items()
            for p, letter in zip("wxyz", row, strict=False) for verdict in [{"a": "accept", "r": "reject"}[letter]]]  # fmt: skip
    found = {(pair.first, pair.second): pair for pair in agreement(said)}
    assert found["ada", "bo"].num_shared == 4 and found["ada", "bo"].share_equal == 0.75
    assert found["ada", "bo"].kappa == pytest.approx(0.5)
    assert found["ada", "cy"].num_shared == 1 and found["ada", "cy"].kappa is None
