from __future__ import annotations

import pytest

from g2w.curation.clean import LeakError, clean_clips, judge_clean


def clip(name: str, **changes: object) -> dict:
    return {
        "clip_id": name,
        "game": "freedoom2/MAP01",
        "split": "train",
        "hud": "none",
        "file": f"{name}.mp4",
        **changes,
    }


def score(name: str, present: bool | None, status: str = "ok") -> dict:
    return {"clip_id": name, "status": status, "ui_present": present, "ui_edge_px": 0}


def test_only_what_was_measured_clean_passes() -> None:
    clips = [
        clip("clean"),
        clip("ui"),
        clip("unknown"),
        clip("unscored"),
        clip("crashed"),
        clip("labeled", hud="a1"),
        clip("wild", split="wild", hud="unknown"),
    ]
    scores = [
        score("clean", False),
        score("ui", True),
        score("unknown", None),
        score("crashed", None, "crashed"),
        score("labeled", False),
        score("wild", False),
    ]
    rows, refused = clean_clips(clips, scores)
    assert [row["clip_id"] for row in rows] == ["clean"] and refused == 6
    reasons = {row["clip_id"]: (row["verdict"], row["reason"]) for row in judge_clean(clips, scores)}
    assert reasons == {
        "clean": ("ok", None),
        "ui": ("rejected", "ui_present"),
        "unknown": ("quarantined", "unknown"),
        "unscored": ("quarantined", "no_score"),
        "crashed": ("quarantined", "no_score"),
        "labeled": ("rejected", "ui_present"),
        "wild": ("quarantined", "unknown"),
    }


def test_a_game_is_on_one_side_only() -> None:
    clips = [clip("a"), clip("b", split="bench"), clip("c", game="freedoom1/E1M1", split="bench")]
    scores = [score(name, False) for name in "abc"]
    with pytest.raises(LeakError, match="freedoom2/MAP01"):
        clean_clips(clips, scores)
    rows, _ = clean_clips([clips[0], clips[2]], scores)
    assert [(row["game"], row["split"]) for row in rows] == [("freedoom2/MAP01", "train"), ("freedoom1/E1M1", "bench")]
