"""The append-only log of decisions."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from g2w.ui.review.decisions import Decision, DecisionLog, ReviewError, current, proposal_id

BOX = (10, 20, 30, 40)


def accept(proposal: str, reviewer: str = "ada", at: float = 1.0) -> Decision:
    return Decision(proposal, reviewer, "accept", "crosshair", BOX, at)


def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "deep" / "decisions.jsonl")
    assert log.read().decisions == ()
    said = [accept("p1"), Decision("p2", "ada", "reject", None, None, 2.0), accept("p1", "bo", 3.5)]
    for decision in said:
        log.append(decision)
    assert log.read().decisions == tuple(said) and log.read().torn_lines == ()


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_line_that_a_crash_tore_costs_itself_only(tmp_path: Path, cut: int) -> None:
    log = DecisionLog(tmp_path / "decisions.jsonl")
    for name in ("p1", "p2"):
        log.append(accept(name))
    log.path.write_bytes(log.path.read_bytes()[:-cut])
    log.append(accept("p3"))
    content = log.read()
    kept = ["p1", "p2", "p3"] if cut == 1 else ["p1", "p3"]
    assert [d.proposal for d in content.decisions] == kept
    assert content.torn_lines == (() if cut == 1 else (2,))


def _write(path: str, reviewer: str) -> None:
    for number in range(50):
        DecisionLog(path).append(accept(f"p{number}", reviewer))


def test_reviewers_in_other_processes_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "decisions.jsonl")
    context = multiprocessing.get_context("spawn")
    people = [context.Process(target=_write, args=(path, name)) for name in ("ada", "bo")]
    for process in people:
        process.start()
    for process in people:
        process.join()
    content = DecisionLog(path).read()
    assert len(content.decisions) == 100 and not content.torn_lines
    assert {(d.proposal, d.reviewer) for d in content.decisions} == {
        (f"p{i}", r) for i in range(50) for r in ("ada", "bo")
    }


def test_the_last_word_counts_unless_it_is_withdrawn() -> None:
    said = [accept("p1"), Decision("p1", "ada", "reject", None, None, 2.0), accept("p2")]
    assert current(said)["p1"]["ada"].verdict == "reject"
    said.append(Decision("p2", "ada", "withdraw", None, None, 3.0))
    assert "p2" not in current(said)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "maybe"}, "verdict is 'maybe'"),
        ({"cls": "hat"}, "no class of the taxonomy"),
        ({"cls": None}, "name the class"),
        ({"box": (1270, 0, 20, 20)}, "does not lie inside"),
        ({"reviewer": " "}, "reviewer"),
        ({"reviewer": "a\nb"}, "reviewer"),
        ({"rater_kind": "robot"}, "rater_kind"),
    ],
)
def test_bad_decisions_are_refused(change: dict, message: str) -> None:
    fields = {
        "proposal": "p",
        "reviewer": "ada",
        "verdict": "accept",
        "cls": "crosshair",
        "box": BOX,
        "decided_unix_s": 1.0,
    }
    with pytest.raises(ReviewError, match=message):
        Decision(**{**fields, **change})


def test_a_log_with_an_impossible_decision_is_not_read_over(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "decisions.jsonl")
    log.append(accept("p1"))
    log.path.write_bytes(log.path.read_bytes().replace(b"crosshair", b"moustache"))
    with pytest.raises(ReviewError, match=r"line 1.*moustache"):
        log.read()


def test_the_id_follows_what_was_proposed() -> None:
    row = {"clip_id": "c", "x": 1, "y": 2, "w": 3, "h": 4, "cls": "crosshair", "detector": "d@1", "confidence": 0.5}
    assert proposal_id(row) == proposal_id({**row, "confidence": 0.9}) != proposal_id({**row, "x": 2})
