"""The table of scores: what is in it, what stays out, and that the order of rows does not matter."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from g2w.bench.scoring import SCORES, score


def verdicts(suite: str, system: str, good: list[int], *, games: int = 4, psnr: float = 20.0) -> list[dict[str, Any]]:
    """One frame per video with four boxes, of which `good[i]` are clean and the others still there."""
    rows = []
    for i, count in enumerate(good):
        key = {
            "suite": suite,
            "system": system,
            "item_id": f"v{i:02d}",
            "game": f"g{i % games}",
            "t_ms": 0,
            "status": "ok",
            "error": None,
        }
        rows.append({**key, "level": "frame", "background": "preserved", "new_overlay": False, "psnr_inside": psnr + i})
        for box in range(4):
            state, artifact = ("removed", "none") if box < count else ("present", "not_applicable")
            rows.append(
                {
                    **key,
                    "level": "element",
                    "element_id": str(box),
                    "track_id": f"v{i}/{box}",
                    "state": state,
                    "artifact": artifact,
                    "cls": "crosshair" if box else "map_radar",
                }
            )
    return rows


def table(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["score_id"]: row for row in score(rows, replicates=500)}


def test_values_counts_and_intervals() -> None:
    found = table(verdicts("game2world_gt", "lite", [4, 2, 2, 0, 4, 2, 2, 0]))
    aar = found["game2world_gt/lite/aar"]
    assert aar["value"] == 50 and aar["n"] == 8 and aar["method"].startswith("cluster-")
    # Four games at 100, 50, 50 and 0: standard error 18.
    assert 5 < aar["lo"] < 25 and 75 < aar["hi"] < 95
    assert found["game2world_gt/lite/class_aar/map_radar"]["value"] == 75
    assert found["game2world_gt/lite/class_aar/crosshair"]["n"] == 24
    assert found["game2world_gt/lite/psnr_inside"]["unit"] == "dB"
    assert pa.Table.from_pylist(list(found.values()), schema=SCORES).num_rows == len(found)


def test_order_of_rows_does_not_matter() -> None:
    rows = verdicts("game2world_gt", "lite", [4, 1, 3, 0, 2]) + verdicts("game2world_gt", "diffusion", [3, 1, 2, 2, 2])
    assert score(rows, replicates=300) == score(random.Random(0).sample(rows, len(rows)), replicates=300)


def test_gain_is_paired_with_the_input() -> None:
    rows = verdicts("game2world_gt", "copy-input", [0] * 4, psnr=12) + verdicts(
        "game2world_gt", "lite", [2] * 4, psnr=20
    )
    gain = table(rows)["game2world_gt/lite/psnr_gain"]
    assert (gain["value"], gain["lo"], gain["hi"], gain["n"]) == (8, 8, 8, 4)


def test_controls_are_no_rivals() -> None:
    rows = [
        row
        for s, good in (("lite", [4] * 8), ("diffusion", [2] * 8), ("oracle", [4] * 8), ("black-boxes", [0] * 8))
        for row in verdicts("game2world_gt", s, good)
    ]
    pairs = [row for row in score(rows, replicates=300) if row["metric"] == "aar_difference"]
    assert [(r["system"], r["versus"]) for r in pairs] == [("lite", "diffusion")]
    assert pairs[0]["value"] == 50 and pairs[0]["p"] == pytest.approx(2 / 2**8, abs=1e-4)


def test_overall_needs_two_suites_and_no_error() -> None:
    both = verdicts("game2world_gt", "lite", [2] * 4) + verdicts("game2world_s", "lite", [4] * 4)
    assert table(both)["all/lite/overall"]["value"] == (50 + 100 + 100 + 100) / 4
    assert "all/lite/overall" not in table(both[: len(both) // 2])
    both[1]["status"], both[1]["state"] = "error", None
    found = table(both)
    assert "all/lite/overall" not in found
    assert found["game2world_gt/lite/aar"]["status"] == "incomplete"
    assert found["game2world_s/lite/aar"]["status"] == "complete"
