"""What the page shows and what it sends back: proposals with their votes, and decisions that are recorded once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.review.decisions import Decision, DecisionLog, LogContent, ReviewError, current, proposal_id
from g2w.ui.review.formats import frame_of, image_name
from g2w.ui.review.votes import Resolution, resolve
from g2w.ui.taxonomy import load_taxonomy

Row = Mapping[str, Any]
SHOWN = ("clip_id", "cls", "cls_confidence", "confidence", "detector")


class UnknownProposal(LookupError):
    """A proposal that is not, or no longer, in the lake."""


class _Message(BaseModel):
    """A decision as the page sends it; what a field may hold is judged by `Decision`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    proposal: str
    reviewer: str
    verdict: str
    cls: str | None
    box: tuple[int, int, int, int] | None
    decided_unix_s: float = Field(gt=0, lt=1e11, allow_inf_nan=False)


class Board:
    """The queue of one lake. Safe to use from several threads.

    Args:
        load: gives the proposal rows, each with the `path` of its clip; called again at every `queue`.
        log: where decisions are appended.
        quorum: votes that a proposal needs.
    """

    def __init__(self, load: Callable[[], Sequence[Row]], log: DecisionLog, *, quorum: int = 1) -> None:
        self._load, self._log, self._quorum = load, log, quorum
        self._rows = _by_id(load())
        self._lock = threading.Lock()

    def row(self, proposal: str) -> Row:
        """The row of a proposal.

        Raises:
            UnknownProposal: if there is none.
        """
        try:
            return self._rows[proposal]
        except KeyError:
            raise UnknownProposal(f"there is no proposal {proposal!r} (any more): reload the queue") from None

    def neighbors(self, proposal: str) -> list[Row]:
        """All proposals of the same clip, this one among them."""
        clip = self.row(proposal)["clip_id"]
        return [row for row in self._rows.values() if row["clip_id"] == clip]

    def queue(self, reviewer: str) -> dict[str, Any]:
        """All proposals with their votes, read anew, as the reviewer's page shows them."""
        self._rows = rows = _by_id(self._load())
        content = self._read()
        votes, resolutions = current(content.decisions), resolve(content.decisions, quorum=self._quorum)
        shown = [_described(key, row, reviewer, votes.get(key, {}), resolutions.get(key)) for key, row in rows.items()]
        # Proposals of one moment share their frame: it is named by the first of them, and travels once.
        first: dict[str, str] = {}
        pictures = [first.setdefault(image_name(row), key) for key, row in rows.items()]
        return {
            "classes": list(load_taxonomy().names),
            "size": [WIDTH, HEIGHT],
            "torn_lines": list(content.torn_lines),
            "proposals": [{**one, "picture": picture} for one, picture in zip(shown, pictures, strict=True)],
        }

    def decide(self, body: bytes) -> dict[str, Any]:
        """Record the decision that a page sent (JSON). When this returns, it is on the disk.

        A page that got no answer sends the same decision again. Its moment, which no reviewer can have twice on one
        proposal, tells that it is the same: it is recorded once.

        Returns:
            `recorded`, False for a repetition, and the `proposal` as it stands now.

        Raises:
            ReviewError: if the message is no decision.
            UnknownProposal: if it is about no proposal of the lake.
            OSError: if it could not be written.
        """
        decision = _parsed(body)
        row = self.row(decision.proposal)
        with self._lock:
            said = self._about(decision.proposal)
            is_new = (decision.reviewer, decision.decided_unix_s) not in {(d.reviewer, d.decided_unix_s) for d in said}
            if is_new:
                self._append(decision)
                said.append(decision)
        votes, resolutions = current(said), resolve(said, quorum=self._quorum)
        key = decision.proposal
        shown = _described(key, row, decision.reviewer, votes.get(key, {}), resolutions.get(key))
        return {"recorded": is_new, "proposal": shown}

    def _about(self, proposal: str) -> list[Decision]:
        return [decision for decision in self._read().decisions if decision.proposal == proposal]

    # A log that cannot be read or written is no fault of the message: the page must keep its decision and try again.

    def _read(self) -> LogContent:
        try:
            return self._log.read()
        except ReviewError as error:
            raise OSError(str(error)) from error

    def _append(self, decision: Decision) -> None:
        try:
            self._log.append(decision)
        except ReviewError as error:
            raise OSError(str(error)) from error


def _by_id(rows: Sequence[Row]) -> dict[str, Row]:
    return {proposal_id(row): row for row in rows}


def _parsed(body: bytes) -> Decision:
    try:
        message = _Message.model_validate_json(body)
    except ValidationError as error:
        reasons = (f"{'.'.join(map(str, e['loc'])) or 'the message'}: {e['msg']}" for e in error.errors())
        raise ReviewError("no decision: " + "; ".join(reasons)) from error
    return Decision(**{**message.model_dump(), "reviewer": message.reviewer.strip()})


def _described(
    key: str, row: Row, reviewer: str, votes: Mapping[str, Decision], resolution: Resolution | None
) -> dict[str, Any]:
    mine = votes.get(reviewer)
    return {
        "id": key,
        "box": [row[name] for name in "xywh"],
        "frame": frame_of(row),
        **{name: row[name] for name in SHOWN},
        "state": resolution.state if resolution else "waiting",
        "why_open": resolution.why_open if resolution else None,
        "mine": _vote(mine) if mine else None,
        "others": [_vote(vote) for name, vote in sorted(votes.items()) if name != reviewer],
    }


def _vote(decision: Decision) -> dict[str, Any]:
    return {name: getattr(decision, name) for name in ("reviewer", "verdict", "cls", "box")}
