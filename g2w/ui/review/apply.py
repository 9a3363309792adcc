"""Proposals after review: what people decided overrides what the detector guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from g2w.ui.review.decisions import proposal_id
from g2w.ui.review.votes import Resolution


def reviewed(rows: Iterable[Mapping[str, Any]], resolutions: Mapping[str, Resolution]) -> list[dict[str, Any]]:
    """Proposal rows with `review` (accepted, rejected, open, or None where nobody has spoken) and `reviewers`.

    Accepted rows carry the class and the box that the reviewers gave them.
    """
    found = []
    for row in rows:
        resolution = resolutions.get(proposal_id(row))
        known: dict[str, Any] = {"review": None, "reviewers": ""}
        if resolution is not None:
            known = {"review": resolution.state, "reviewers": resolution.accepted_by}
            if resolution.box is not None:
                known |= {"cls": resolution.cls, **dict(zip("xywh", resolution.box, strict=True))}
        found.append({**row, **known})
    return found
