"""What reviewers decided, in a log that is only ever appended to: a crash costs at most the line being written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from g2w.lineage.canonical import canonical_json, sha256_json, short
from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.taxonomy import load_taxonomy

VERDICTS = ("accept", "reject", "skip", "withdraw")
"""`skip`: the reviewer cannot tell; `withdraw`: an earlier decision of the same reviewer is taken back."""
RATER_KINDS = ("human", "designed")
"""`designed`: written by a script for a test or a calibration, never to be counted as a person."""

Box = tuple[int, int, int, int]


class ReviewError(ValueError):
    """A decision that cannot be recorded, or a log that cannot be read."""


def proposal_id(row: Mapping[str, Any]) -> str:
    """Content address of a proposal: the clip, the box, the class and who proposed it."""
    return short(sha256_json([row[name] for name in ("clip_id", "x", "y", "w", "h", "cls", "detector")]))


@dataclass(frozen=True)
class Decision:
    """One reviewer's word on one proposal.

    Attributes:
        proposal: `proposal_id` of the row.
        reviewer: a name, as it will stand in `accepted_by`.
        verdict: one of VERDICTS.
        cls: class as the reviewer sees it; needed to accept.
        box: x, y, w, h in pixels of 1280x720, as the reviewer moved it; needed to accept.
        decided_unix_s: when.
        rater_kind: one of RATER_KINDS.
    """

    proposal: str
    reviewer: str
    verdict: str
    cls: str | None
    box: Box | None
    decided_unix_s: float
    rater_kind: str = "human"

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ReviewError(f"verdict is {self.verdict!r}; use one of {', '.join(VERDICTS)}")
        if self.rater_kind not in RATER_KINDS:
            raise ReviewError(f"rater_kind is {self.rater_kind!r}; use one of {', '.join(RATER_KINDS)}")
        if not self.proposal or not self.reviewer.strip() or len(self.reviewer) > 80 or not self.reviewer.isprintable():
            raise ReviewError(f"a decision needs a proposal and a printable reviewer's name, got {self.reviewer!r}")
        if self.verdict == "accept" and (self.cls is None or self.box is None):
            raise ReviewError(f"proposal {self.proposal}: to accept, name the class and the box")
        if self.cls is not None and self.cls not in load_taxonomy().names:
            raise ReviewError(f"proposal {self.proposal}: {self.cls!r} is no class of the taxonomy")
        if self.box is not None:
            x, y, w, h = self.box
            if w < 1 or h < 1 or x < 0 or y < 0 or x + w > WIDTH or y + h > HEIGHT:
                raise ReviewError(f"proposal {self.proposal}: box {self.box} does not lie inside {WIDTH}x{HEIGHT}")


@dataclass(frozen=True)
class LogContent:
    """Decisions in the order they were made, and the numbers (from 1) of lines that a crash tore and nobody can read."""

    decisions: tuple[Decision, ...]
    torn_lines: tuple[int, ...]


class DecisionLog:
    """An append-only file of JSON lines. Any number of processes may append: each line is one `write` of the system."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def append(self, decision: Decision) -> None:
        """Record a decision; when this returns, it is on the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            line = canonical_json(asdict(decision))
            size = os.fstat(descriptor).st_size
            # A line that a crash cut short must not swallow this one.
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            written = os.write(descriptor, line)
            if written != len(line):
                raise ReviewError(
                    f"{self.path}: only {written} of {len(line)} bytes could be written; is the disk full?"
                )
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def read(self) -> LogContent:
        """All decisions; a log that does not exist is empty."""
        if not self.path.exists():
            return LogContent((), ())
        decisions, torn = [], []
        for number, line in enumerate(self.path.read_bytes().split(b"\n"), 1):
            if line:
                try:
                    fields = json.loads(line)
                    box = tuple(fields["box"]) if fields["box"] is not None else None
                    decisions.append(Decision(**{**fields, "box": box}))
                except (ValueError, TypeError, KeyError) as error:
                    if isinstance(error, ReviewError):
                        raise ReviewError(f"{self.path}, line {number}: {error}") from error
                    torn.append(number)
        return LogContent(tuple(decisions), tuple(torn))


def current(decisions: Sequence[Decision]) -> dict[str, dict[str, Decision]]:
    """proposal -> reviewer -> the decision that counts: the last one, unless it was withdrawn."""
    found: dict[str, dict[str, Decision]] = {}
    for decision in decisions:
        mine = found.setdefault(decision.proposal, {})
        if decision.verdict == "withdraw":
            mine.pop(decision.reviewer, None)
        else:
            mine[decision.reviewer] = decision
    return {proposal: by for proposal, by in found.items() if by}
