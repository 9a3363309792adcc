"""The judge agrees with outputs whose verdict is known, and the two controls judged in memory are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from g2w.bench.designed import DESIGNS, judge_reliability
from g2w.bench.judge import Artifact, Background, ElementVerdict, FrameVerdict, JudgeId, Scene, State

GtSet = tuple[Path, list[dict[str, Any]]]


class Credulous:
    """A judge that believes everything was removed without a trace."""

    def identity(self) -> JudgeId:
        """See Judge."""
        return JudgeId("table", "credulous", "1")

    def ask(self, scene: Scene, output: np.ndarray) -> FrameVerdict:
        """See Judge."""
        return FrameVerdict(
            Background.PRESERVED,
            False,
            tuple(ElementVerdict(e.element_id, State.REMOVED, Artifact.NONE) for e in scene.elements),
        )


def lookup(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    return {(row["metric"], row["kind"]): row["value"] for row in rows}


def test_the_pixel_judge(gt_set: GtSet) -> None:
    sets, items = gt_set
    rows = judge_reliability(items, sets)
    found = lookup(rows)
    assert found["state_agreement", "all kinds"] > 95 and found["state_kappa", "all kinds"] > 0.9
    assert found["artifact_agreement", "perfect"] == 100 and found["artifact_agreement", "black"] == 100
    assert found["control_bg", "blur-all"] == 0 and found["control_bg", "other-clip"] == 0
    assert {row["rater_kind"] for row in rows} == {"designed"} and {
        row["n"] for row in rows if row["kind"] == "black"
    } == {6}


def test_a_bad_judge_is_found_out(gt_set: GtSet) -> None:
    sets, items = gt_set
    found = lookup(judge_reliability(items, sets, Credulous()))
    present = sum(design.state is State.PRESENT for design in DESIGNS)
    assert found["state_agreement", "untouched"] == 0 and found["artifact_agreement", "black"] == 0
    assert abs(found["state_agreement", "all kinds"] - 100 * (1 - present / len(DESIGNS))) < 0.01
    assert found["state_kappa", "all kinds"] == 0 and found["control_bg", "blur-all"] == 100
