"""What every detector of interface elements is: a clip in, rows of proposals out, and an identity that says who made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from g2w.lineage.canonical import sha256_json, short


class DetectReason(StrEnum):
    """Why a proposal was rejected, or why a clip has no answer: the closed list."""

    # of one box: status "rejected"
    UNKNOWN_CLASS = "unknown_class"
    UNKNOWN_ANCHOR = "unknown_anchor"
    BAD_ELEMENT = "bad_element"
    DUPLICATE_ID = "duplicate_id"
    BOX_OUT_OF_RANGE = "box_out_of_range"
    BOX_INVERTED = "box_inverted"
    BOX_TOO_SMALL = "box_too_small"
    BOX_TOO_LARGE = "box_too_large"
    # of one picture's reply: status "error"
    NOT_JSON = "not_json"
    SCHEMA_MISMATCH = "schema_mismatch"
    WRONG_IMAGE = "wrong_image"
    WRONG_COORDINATES = "wrong_coordinates"
    TOO_MANY_ELEMENTS = "too_many_elements"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    # of the call: status "error"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    REQUEST_REJECTED = "request_rejected"
    UNAUTHORIZED = "unauthorized"
    BAD_RESPONSE = "bad_response"
    ANSWER_TOO_LONG = "answer_too_long"
    BUDGET_EXHAUSTED = "budget_exhausted"
    # of the clip: status "error" or "crashed"
    UNREADABLE = "unreadable"
    CRASHED = "crashed"


@dataclass(frozen=True)
class DetectorIdentity:
    """Who proposed: all that can change the rows. It goes into the recipe, and its short hash into every row.

    Attributes:
        name, version: of the detector's own code.
        model: id of the learned model, None for a detector without one.
        prompt_sha256, schema_sha256: of what the model was asked and had to answer with, None without a model.
        settings: every number the rows depend on.
    """

    name: str
    version: str
    model: str | None = None
    prompt_sha256: str | None = None
    schema_sha256: str | None = None
    settings: Mapping[str, Any] | None = None

    @property
    def label(self) -> str:
        """name@version, then the model, then a short hash of everything: the `detector` column."""
        model = f":{self.model}" if self.model else ""
        return f"{self.name}@{self.version}{model}#{short(sha256_json(asdict(self)))}"


class Detector(Protocol):
    """A detector. Errors of the data and of the model are rows, never raised."""

    @property
    def identity(self) -> DetectorIdentity:
        """Who this is."""
        ...

    def propose(self, clip_path: str | Path) -> list[dict[str, Any]]:
        """Rows of one clip.

        Returns:
            status ("ok", "rejected", "error"), reason (of `DetectReason`, None when ok), x, y, w, h (int, pixels of
            1280x720; None where there is no box), cls, cls_confidence, anchor (of `g2w.ui.taxonomy.ANCHORS`), confidence
            (0..1), first_frame, last_frame (clip indices, inclusive), transient, detector; accepted ones first, most
            confident first.
        """
        ...
