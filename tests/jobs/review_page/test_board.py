"""What the page shows and sends: votes as they stand, decisions recorded once, trouble told from mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from g2w.ui.review.decisions import DecisionLog, ReviewError, proposal_id
from jobs.review_page.board import Board, UnknownProposal
from tests.jobs.review_lake import ROWS

IDS = [proposal_id(row) for row in ROWS[:2]]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(lambda: ROWS[:2], DecisionLog(tmp_path / "log.jsonl"))


def message(verdict: str = "reject", at: float = 1.0, **other: Any) -> bytes:
    fields = {"proposal": IDS[0], "reviewer": "ada", "cls": None, "box": None}
    return json.dumps({**fields, "verdict": verdict, "decided_unix_s": at, **other}).encode()


def accepted(at: float = 1.0, **other: Any) -> bytes:
    return message("accept", at, **{"cls": "map_radar", "box": [1, 2, 30, 40], **other})


def test_a_decision_is_recorded_and_shown(board: Board, tmp_path: Path) -> None:
    answer = board.decide(accepted(reviewer=" ada "))
    assert answer["recorded"] and answer["proposal"]["state"] == "accepted"
    assert answer["proposal"]["mine"] == {
        "reviewer": "ada", "verdict": "accept", "cls": "map_radar", "box": (1, 2, 30, 40)
    }  # fmt: skip
    (line,) = DecisionLog(tmp_path / "log.jsonl").read().decisions
    assert (line.reviewer, line.decided_unix_s, line.rater_kind) == ("ada", 1.0, "human")


def test_a_repeated_delivery_is_recorded_once_even_after_a_restart(board: Board, tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log.jsonl")
    board.decide(accepted(at=5.25))
    again = Board(lambda: ROWS[:2], log)
    assert not again.decide(accepted(at=5.25))["recorded"]
    assert again.decide(message("withdraw", at=5.5))["proposal"]["mine"] is None
    late = again.decide(accepted(at=5.25))
    assert not late["recorded"] and late["proposal"]["mine"] is None, "a late repetition must not undo the undo"
    assert again.decide(accepted(at=5.25, reviewer="bo"))["recorded"], "another reviewer may have the same moment"
    assert [d.verdict for d in log.read().decisions] == ["accept", "withdraw", "accept"]


def test_the_queue_shows_the_votes_of_others(board: Board) -> None:
    board.decide(message("accept", cls="map_radar", box=[1, 2, 30, 40], reviewer="bo"))
    board.decide(message("reject"))
    first, second = board.queue("ada")["proposals"]
    assert first["mine"]["verdict"] == "reject" and [v["reviewer"] for v in first["others"]] == ["bo"]
    assert first["state"] == "open" and first["why_open"] == "1 for, 1 against"
    assert second["state"] == "waiting" and second["mine"] is None and second["box"] == [900, 40, 200, 60]
    assert first["picture"] == second["picture"] == IDS[0], "they share a frame"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "Invalid JSON"),
        (b"[]", "should be an object"),
        (message("perhaps"), "'perhaps'; use one of accept"),
        (accepted(cls="nonsense"), "'nonsense' is no class"),
        (accepted(box=[1200, 0, 200, 20]), "does not lie inside 1280x720"),
        (accepted(box=[1, 2, 3.5, 4]), "box.2"),
        (accepted(box=None), "name the class and the box"),
        (message(reviewer="  "), "printable reviewer's name"),
        (message(at=float("nan")), "decided_unix_s"),
        (message(at=-1), "decided_unix_s"),
        (message(rater_kind="designed"), "rater_kind"),
    ],
)
def test_what_is_no_decision_is_refused_with_its_reason(board: Board, tmp_path: Path, body: bytes, says: str) -> None:
    with pytest.raises(ReviewError, match=says):
        board.decide(body)
    assert not (tmp_path / "log.jsonl").exists()


def test_a_proposal_that_is_not_there_is_said_to_be_gone(board: Board) -> None:
    with pytest.raises(UnknownProposal, match="reload the queue"):
        board.decide(message(proposal="0" * 16))


def test_a_log_that_cannot_be_read_is_trouble_and_no_fault_of_the_message(board: Board, tmp_path: Path) -> None:
    board.decide(message())
    log = tmp_path / "log.jsonl"
    log.write_text(log.read_text().replace('"reject"', '"perhaps"'))
    with pytest.raises(OSError, match="line 1"):
        board.decide(message(at=2.0))
