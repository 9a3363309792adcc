"""The vocabulary refuses what cannot be."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from g2w.bench.judge import Artifact, ElementVerdict, Judge, JudgeId, Scene, SceneElement, State
from g2w.bench.pixel_judge import PixelJudge


def test_every_field_of_the_identity_moves_its_hash() -> None:
    base = JudgeId("openai", "m", "r1")
    other = {str: "x", int: 7, float: 0.5, tuple: (800, 448)}
    shas = {base.sha}
    for item in fields(base):
        value = getattr(base, item.name)
        shas.add(replace(base, **{item.name: other[type(value)]}).sha)
    assert len(shas) == 1 + len(fields(base)) and len(fields(base)) == 14
    with pytest.raises(ValueError, match="revision"):
        JudgeId("openai", "m", "")


def test_only_a_removed_element_has_an_artifact() -> None:
    assert ElementVerdict("a", State.REMOVED, Artifact.MINOR).artifact == "minor"
    with pytest.raises(ValueError, match="only removed"):
        ElementVerdict("a", State.PRESENT, Artifact.NONE)
    with pytest.raises(ValueError, match="only removed"):
        ElementVerdict("a", State.REMOVED)


def test_scenes_and_elements_are_checked() -> None:
    with pytest.raises(ValueError, match="inside the canvas"):
        SceneElement("a", "crosshair", (1270, 0, 20, 20))
    with pytest.raises(ValueError, match="does not fit"):
        SceneElement("a", "crosshair", (0, 0, 20, 20), np.zeros((20, 21), np.uint8))
    with pytest.raises(ValueError, match="source must be"):
        Scene(np.zeros((360, 640, 3), np.uint8), None, ())


def test_the_pixel_judge_is_a_judge() -> None:
    assert isinstance(PixelJudge(), Judge)
