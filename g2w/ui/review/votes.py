"""From many reviewers' decisions to one outcome per proposal, and how far the reviewers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from g2w.bench.agreement import cohen_kappa
from g2w.ui.review.decisions import Box, Decision, current

STATES = ("accepted", "rejected", "open")


@dataclass(frozen=True)
class Resolution:
    """What the reviewers together say of one proposal.

    `state` is one of STATES; `why_open` says what is missing; `cls` and `box` (pixels of 1280x720) are the majority's
    class and the median of the boxes of those who chose it; `reviewers` are those whose vote carried it.
    """

    proposal: str
    state: str
    why_open: str | None
    cls: str | None
    box: Box | None
    reviewers: tuple[str, ...]

    @property
    def accepted_by(self) -> str:
        """As the library records it."""
        return ", ".join(self.reviewers)


def resolve(decisions: Sequence[Decision], *, quorum: int = 1) -> dict[str, Resolution]:
    """Resolution of every proposal somebody has spoken about.

    Args:
        quorum: votes (accept or reject; a skip is none) that a proposal needs.

    A tie, of verdicts or of classes, stays open for a person: it is never broken by chance or by order.

    Raises:
        ValueError: for a quorum below 1.
    """
    if quorum < 1:
        raise ValueError(f"quorum must be at least 1, got {quorum}")
    return {proposal: _resolution(proposal, by, quorum) for proposal, by in sorted(current(decisions).items())}


def _resolution(proposal: str, by: Mapping[str, Decision], quorum: int) -> Resolution:
    votes = [d for _, d in sorted(by.items()) if d.verdict in ("accept", "reject")]
    for_it, against = ([d for d in votes if d.verdict == verdict] for verdict in ("accept", "reject"))
    if len(votes) < quorum:
        return _open(proposal, f"{len(votes)} of {quorum} votes")
    if len(for_it) == len(against):
        return _open(proposal, f"{len(for_it)} for, {len(against)} against")
    if len(for_it) < len(against):
        return Resolution(proposal, "rejected", None, None, None, tuple(d.reviewer for d in against))
    counted = Counter(d.cls for d in for_it).most_common(2)
    if len(counted) == 2 and counted[0][1] == counted[1][1]:
        return _open(proposal, f"classes {counted[0][0]} and {counted[1][0]} have {counted[0][1]} votes each")
    chosen = [d for d in for_it if d.cls == counted[0][0]]
    x, y, w, h = (int(v) for v in np.median([d.box for d in chosen if d.box is not None], axis=0).round())
    return Resolution(proposal, "accepted", None, counted[0][0], (x, y, w, h), tuple(d.reviewer for d in chosen))


def _open(proposal: str, why: str) -> Resolution:
    return Resolution(proposal, "open", why, None, None, ())


@dataclass(frozen=True)
class PairAgreement:
    """Two reviewers on the proposals both voted on; `kappa` is None where chance alone would agree completely."""

    first: str
    second: str
    num_shared: int
    share_equal: float
    kappa: float | None


def agreement(decisions: Sequence[Decision]) -> list[PairAgreement]:
    """Agreement on accept or reject of every pair of reviewers that share at least one proposal."""
    votes: dict[str, dict[str, str]] = {}
    for proposal, by in current(decisions).items():
        for reviewer, decision in by.items():
            if decision.verdict in ("accept", "reject"):
                votes.setdefault(reviewer, {})[proposal] = decision.verdict
    found = []
    for first, second in combinations(sorted(votes), 2):
        shared = sorted(set(votes[first]) & set(votes[second]))
        if shared:
            pair = [[votes[name][proposal] for proposal in shared] for name in (first, second)]
            equal = sum(a == b for a, b in zip(*pair, strict=True)) / len(shared)
            found.append(PairAgreement(first, second, len(shared), equal, cohen_kappa(*pair)))
    return found
