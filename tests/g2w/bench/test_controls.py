"""A control that scores wrongly, or was not run, is caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from g2w.bench.controls import EXPECTED, black_boxes, check_controls, write_control
from g2w.bench.scoring import controls_ok


def scores(**changes: float) -> list[dict[str, Any]]:
    rows = [{"suite": "s", "system": e.system, "metric": e.metric, "value": e.value, "cls": None} for e in EXPECTED]
    return [{**row, "value": changes.get(f"{row['system']}/{row['metric']}", row["value"])} for row in rows]


def test_exact_or_broken() -> None:
    assert controls_ok(scores())
    assert not controls_ok(scores(**{"copy-input/aar": 0.5}))
    assert not controls_ok(scores(**{"oracle/bg": 99.0}))
    assert not controls_ok([row for row in scores() if row["system"] != "oracle"])
    assert not controls_ok([])
    assert len(check_controls(scores())) == len(EXPECTED)


def test_black_boxes_reach_past_the_search() -> None:
    frame = np.full((720, 1280, 3), 200, np.uint8)
    row = {"x": 100, "y": 100, "w": 40, "h": 20, "hidden_reason": "no_edges"}
    painted = black_boxes(frame, [row, {**row, "x": 600, "hidden_reason": "not_shown"}])
    assert not painted[92:128, 92:148].any() and painted[91, 120].all() and painted[110, 610].all()
    assert frame.all()


def test_an_unknown_control_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no control 'mirror'"):
        write_control("mirror", {}, tmp_path, tmp_path / "x.mp4")
