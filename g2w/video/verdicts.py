"""The closed lists: what can be said of an input, and why."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What becomes of an input."""

    OK = "ok"
    REPAIRED = "repaired"
    PARTIAL = "partial"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"


class Reason(StrEnum):
    """Why. A new reason is added here first, with a test."""

    # A file as a whole.
    MISSING = "missing"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    NOT_MEDIA = "not_media"
    NO_INDEX = "no_index"
    NO_VIDEO = "no_video"
    NOT_DECODABLE = "not_decodable"
    CRASHED = "crashed"
    CHANGED = "changed"
    DUPLICATE = "duplicate_of"
    # Its pictures.
    SHORT = "short"
    BLACK = "black"
    FROZEN = "frozen"
    HDR = "hdr"
    CORRUPT = "corrupt"
    TRUNCATED = "truncated"
    DISCONTINUITY = "discontinuity"
    # What the curation measured.
    DARK = "dark"
    STUTTER = "stutter"
    STILL = "still"
    BLURRED = "blurred"
    LETTERBOX = "letterbox"
    NOT_WORLD = "not_world"
    UNKNOWN = "unknown"
    NEAR_DUPLICATE = "near_duplicate"
    NO_SCORE = "no_score"
    NO_EMBEDDING = "no_embedding"
    # Clean clips.
    UI_PRESENT = "ui_present"
