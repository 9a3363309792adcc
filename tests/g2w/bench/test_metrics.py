"""The definitions, their invariants, and every published Overall."""

from __future__ import annotations

import random
from typing import Any

import pytest

from g2w.bench.metrics import Tally, overall, ratio, round_half_up, tally_video

PUBLISHED = [
    ((94.64, 98.85, 80.05, 99.80), 93.34),
    ((93.17, 99.50, 51.60, 99.60), 85.97),
    ((95.36, 99.00, 48.56, 99.60), 85.63),
    ((59.11, 96.50, 30.40, 91.45), 69.37),
    ((34.68, 97.30, 13.54, 96.80), 60.58),
    ((56.17, 84.45, 23.55, 74.55), 59.68),
    ((27.86, 99.60, 5.92, 94.10), 56.87),
    ((1.30, 83.30, 2.86, 83.00), 42.62),
    ((60.62, 24.45, 51.19, 14.00), 37.57),
    ((0.95, 86.70, 5.27, 48.30), 35.31),
]
"""(AAR_S, BG_S, AAR_W, BG_W) and the printed Overall of ten methods."""


@pytest.mark.parametrize(("columns", "printed"), PUBLISHED)
def test_overall_of_ten_published_methods(columns: tuple[float, ...], printed: float) -> None:
    assert round_half_up(overall(*columns)) == printed


def test_rounding_is_half_up() -> None:
    assert round_half_up(93.335) == 93.34 and round_half_up(42.615) == 42.62 and round_half_up(0.125, 1) == 0.1


def frame(t_ms: int, background: str = "preserved", **more: Any) -> dict[str, Any]:
    return {
        "suite": "s",
        "system": "m",
        "item_id": "v",
        "game": "g",
        "level": "frame",
        "t_ms": t_ms,
        "status": "ok",
        "background": background,
        "new_overlay": False,
        **more,
    }


def element(t_ms: int, name: str, state: str, artifact: str = "not_applicable", **more: Any) -> dict[str, Any]:
    return {
        "suite": "s",
        "system": "m",
        "item_id": "v",
        "game": "g",
        "level": "element",
        "t_ms": t_ms,
        "status": "ok",
        "element_id": name,
        "track_id": f"v/{name}",
        "cls": "crosshair",
        "state": state,
        "artifact": artifact,
        **more,
    }


def values(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    tally = tally_video(rows)
    return {name: ratio([tally], name) for name in tally.sums}


def test_a_video_worked_out_by_hand() -> None:
    rows = [
        frame(0),
        frame(500, "minor_change"),
        frame(1000, "major_change", new_overlay=True),
        frame(1500, "uncertain"),
        element(0, "a", "removed", "none"),
        element(0, "b", "removed", "minor"),
        element(0, "c", "removed", "major"),
        element(0, "d", "present"),
        element(500, "a", "removed", "none"),
        element(500, "b", "uncertain"),
    ]
    found = values(rows)
    assert found["aar"] == pytest.approx((1.5 / 4 + 1 / 2) / 2 * 100)
    assert found["ui"] == pytest.approx((3 / 4 + 1 / 2) / 2 * 100)
    assert found["clean"] == pytest.approx((1 / 4 + 1 / 2) / 2 * 100)
    assert found["uncertain"] == pytest.approx((0 + 1 / 2) / 2 * 100)
    assert found["box_micro_aar"] == pytest.approx(2.5 / 6 * 100)
    assert found["bg"] == pytest.approx((1 + 0.5 + 0 + 0) / 4 * 100)
    assert found["new_ui"] == 25 and found["missing"] == 0
    assert found["track_all"] == 50 and found["track_clean"] == 25  # a and c of four; a
    assert found["track_clean_3"] is None


def random_video(rng: random.Random, name: str) -> list[dict[str, Any]]:
    rows = []
    for t in range(0, 2500, 500):
        rows.append(frame(t, rng.choice(["preserved", "minor_change", "major_change"]), item_id=name))
        for box in range(rng.randint(0, 5)):
            state = rng.choice(["removed", "removed", "present", "uncertain"])
            artifact = rng.choice(["none", "minor", "major"]) if state == "removed" else "not_applicable"
            rows.append(element(t, f"{box}", state, artifact, item_id=name))
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_invariants(seed: int) -> None:
    rng = random.Random(seed)
    videos = [random_video(rng, f"v{i}") for i in range(4)]
    tallies = [tally_video(rows) for rows in videos]
    x = {name: ratio(tallies, name) or 0.0 for name in tallies[0].sums}
    tiny = 1e-9
    assert x["clean"] <= x["aar"] + tiny <= x["ui"] + 2 * tiny
    assert x["clean"] >= 2 * x["aar"] - x["ui"] - tiny
    assert x["track_clean"] <= x["track_all"] + tiny
    assert x["uncertain"] <= 100 - x["ui"] + tiny
    shuffled = [rng.sample(rows, len(rows)) for rows in videos]
    again = [tally_video(rows) for rows in rng.sample(shuffled, len(shuffled))]
    assert all(ratio(again, name) == pytest.approx(x[name], abs=1e-9) for name in x if ratio(tallies, name) is not None)


def test_a_video_with_sixty_boxes_weighs_as_much_as_any_other() -> None:
    crowded = [frame(0, item_id="a"), *(element(0, f"{i}", "present", item_id="a") for i in range(60))]
    sparse = [frame(0, item_id="b"), element(0, "x", "removed", "none", item_id="b")]
    tallies = [tally_video(crowded), tally_video(sparse)]
    assert ratio(tallies, "aar") == 50
    assert ratio(tallies, "box_micro_aar") == pytest.approx(100 / 61)


def test_a_video_without_boxes_counts_for_the_background_alone() -> None:
    tallies = [tally_video([frame(0, "major_change")]), tally_video([frame(0), element(0, "a", "removed", "none")])]
    assert ratio(tallies, "aar") == 100 and ratio(tallies, "bg") == 50
    assert ratio(tallies[:1], "aar") is None


def test_a_missing_frame_scores_zero_and_is_counted() -> None:
    rows = [frame(0), element(0, "a", "removed", "none")]
    rows += [
        {**frame(500), "status": "missing", "background": None},
        {**element(500, "a", "present"), "status": "missing", "state": None},
    ]
    found = values(rows)
    assert found["aar"] == 50 and found["bg"] == 50 and found["missing"] == 50 and found["track_all"] == 0


def test_an_error_is_a_bound_and_never_a_zero() -> None:
    rows = [
        frame(0),
        element(0, "a", "removed", "none"),
        {**element(0, "b", "present"), "status": "error", "state": None},
    ]
    assert ratio([tally_video(rows)], "aar") == 50
    assert ratio([tally_video(rows, error_as=1.0)], "aar") == 100


def test_mixed_videos_are_refused() -> None:
    with pytest.raises(ValueError, match="one system on one video"):
        tally_video([frame(0), frame(0, item_id="w")])
    with pytest.raises(ValueError, match="no frame"):
        tally_video([element(0, "a", "present")])
    assert Tally("v", "g").sums == {}
