"""Clean clips: what was measured to be free of any interface. Unknown is not clean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from g2w.video.verdicts import Reason, Verdict

Row = dict[str, Any]
SIDES = ("train", "bench")
COLUMNS = (
    "clip_id",
    "video_sha256",
    "game",
    "genre",
    "split",
    "episode",
    "hud",
    "shot_id",
    "clip_index",
    "start_s",
    "num_frames",
    "file",
    "actions_file",
    "ui_edge_px",
    "ui_zone_edge_px",
    "ui_samples",
    "content_hash",
)


class LeakError(ValueError):
    """A game on both sides of the split."""


def clean_clips(selected: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]]) -> tuple[list[Row], int]:
    """Rows of pairs/clean_clips, and how many selected clips were refused.

    Raises:
        LeakError: if a game is on both sides of the split; it names the game.
    """
    judged = judge_clean(selected, scores)
    rows = [{column: row.get(column) for column in COLUMNS} for row in judged if row["verdict"] == Verdict.OK]
    sides: dict[str, set[str]] = {}
    for row in rows:
        sides.setdefault(str(row["game"]), set()).add(str(row["split"]))
    mixed = sorted(game for game, found in sides.items() if len(found) > 1)
    if mixed:
        names = ", ".join(mixed)
        raise LeakError(f"games on both sides of the split into train and bench: {names}; fix their .source.json")
    return rows, len(judged) - len(rows)


def judge_clean(selected: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Every selected clip with a verdict on its cleanness and a reason.

    ok: measured free of interface. rejected:ui_present: measured, or its maker says so (whichever speaks of an
    interface is believed). quarantined:unknown: nothing could be measured, or the split is not known.
    quarantined:no_score: no row.
    """
    by_id = {row["clip_id"]: row for row in scores}
    known = [(clip, by_id.get(clip["clip_id"])) for clip in selected]
    return [{**clip, **(score or {}), **_verdict(clip, score)} for clip, score in known]


def _verdict(clip: Mapping[str, Any], score: Mapping[str, Any] | None) -> Row:
    if score is None or score.get("status") != "ok":
        return {"verdict": str(Verdict.QUARANTINED), "reason": str(Reason.NO_SCORE)}
    if score["ui_present"] or clip.get("hud") not in (None, "none", "unknown"):
        return {"verdict": str(Verdict.REJECTED), "reason": str(Reason.UI_PRESENT)}
    if score["ui_present"] is None or clip.get("split") not in SIDES:
        return {"verdict": str(Verdict.QUARANTINED), "reason": str(Reason.UNKNOWN)}
    return {"verdict": str(Verdict.OK), "reason": None}
