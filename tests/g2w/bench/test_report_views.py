"""What the report says, before it is HTML."""

from __future__ import annotations

from typing import Any

from g2w.bench.report_views import class_bars, leaderboard, number, reliability_table, table_of, verdict_sentence


def row(system: str, metric: str, value: float, **more: Any) -> dict[str, Any]:
    return {
        "suite": "s",
        "system": system,
        "metric": metric,
        "value": value,
        "lo": value - 1,
        "hi": value + 1,
        "n": 4,
        "cls": None,
        "versus": None,
        "status": "complete",
        "p": None,
        "p_holm": None,
        **more,
    }


SCORES = [
    *(row(s, "aar", v) for s, v in (("lite", 40), ("diffusion", 35), ("opencv-inpaint", 60), ("oracle", 100))),
    *(row(s, "bg", 99) for s in ("lite", "diffusion", "opencv-inpaint", "oracle")),
    row("opencv-inpaint", "aar_difference", 20, versus="lite", p=0.001, p_holm=0.003),
    row("opencv-inpaint", "aar_difference", 25, versus="diffusion", p=0.001, p_holm=0.003),
    row("lite", "aar_difference", 5, versus="diffusion", p=0.4, p_holm=0.4),
    row("lite", "class_aar", 30, cls="crosshair", n=9),
    row("lite", "class_aar", 50, cls="map_radar", n=12),
    row("oracle", "class_aar", 100, cls="crosshair", n=9),
]


def test_leaderboard_is_sorted_with_letters_and_controls_last() -> None:
    found = leaderboard(SCORES, "s")
    assert [r["system"] for r in found["rows"]] == ["opencv-inpaint", "lite", "diffusion", "oracle"]
    assert [r["letters"] for r in found["rows"]] == ["a", "b", "b", ""]
    assert found["num_videos"] == 4 and found["smallest_p"] == 2 / 16


def test_classes_by_frequency_without_controls() -> None:
    found = class_bars(SCORES, "s")
    assert found["systems"] == ["lite"] and [c["cls"] for c in found["classes"]] == ["map_radar", "crosshair"]


def test_the_sentence_names_the_best_mask_free_system() -> None:
    text = verdict_sentence(SCORES, "s")
    assert (
        text.startswith("The best mask-free remover, lite, reaches AAR 40.0 (95 % interval 39.0 to 41.0)")
        and "60.0" in text
    )
    assert "No mask-free remover" in verdict_sentence([row("oracle", "aar", 100)], "s")


def test_figures_and_tables() -> None:
    assert number(-0.25) == "−0.3" and number(None) == "–" and number(93.335, 2) == "93.34"
    table = table_of([{"a_b": 1, "empty": None, "ok": True}, {"a_b": 2.5, "empty": "", "ok": False}])
    assert table == {"columns": ["a b", "ok"], "rows": [["1", "yes"], ["2.5", "no"]]}
    rows = [
        {"metric": "state", "kind": "black", "value": 90, "n": 3},
        {"metric": "artifact", "kind": "black", "value": 80, "n": 3},
    ]
    assert reliability_table(rows)["rows"] == [["black", "90", "80", "3"]]
