"""State, artifact and background together; what the judge refuses; its identity and its memory."""

from __future__ import annotations

import numpy as np
import pytest

from g2w.bench import artifact, persistence
from g2w.bench.controls import black_boxes, blur_all
from g2w.bench.judge import Artifact, Background, Scene, State
from g2w.bench.pixel_judge import PixelJudge


def test_the_negative_controls(scene: Scene) -> None:
    assert scene.clean is not None
    judge = PixelJudge()
    rows = [{**dict(zip("xywh", e.box, strict=True)), "hidden_reason": ""} for e in scene.elements]
    copied, truth = judge.ask(scene, scene.source), judge.ask(scene, scene.clean)
    black, blurred = judge.ask(scene, black_boxes(scene.source, rows)), judge.ask(scene, blur_all(scene.source))
    other = judge.ask(scene, scene.clean[::-1].copy())
    assert [e.state for e in copied.elements] == [State.PRESENT] * 3 and copied.background is Background.PRESERVED
    assert [e.artifact for e in truth.elements] == [Artifact.NONE] * 3 and truth.background is Background.PRESERVED
    assert [e.state for e in black.elements] == [State.REMOVED] * 3 and black.background is Background.PRESERVED
    assert [e.artifact for e in black.elements] == [Artifact.MAJOR] * 3
    assert blurred.background is Background.MAJOR and other.background is Background.MAJOR
    assert truth.features["psnr_inside"] == 100 and copied.features["psnr_inside"] < 20


def test_verdicts_do_not_depend_on_what_was_asked_before(scene: Scene) -> None:
    assert scene.clean is not None
    other = Scene(scene.clean, scene.source, scene.elements)
    judge = PixelJudge()
    fresh = judge.ask(scene, scene.source)
    judge.ask(other, scene.source)
    assert judge.ask(scene, scene.source) == fresh == PixelJudge().ask(scene, scene.source)


def test_needs_a_truth_and_the_canvas(scene: Scene) -> None:
    with pytest.raises(ValueError, match="clean picture"):
        PixelJudge().ask(Scene(scene.source, None, ()), scene.source)
    with pytest.raises(ValueError, match="must be uint8"):
        PixelJudge().ask(scene, np.zeros((360, 640, 3), np.uint8))


@pytest.mark.parametrize(
    ("module", "name", "value"), [(persistence, "REMOVED_BELOW", 0.21), (artifact, "NONE", artifact.MINOR)]
)
def test_another_threshold_is_another_judge(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, value: object
) -> None:
    before = PixelJudge().identity().sha
    monkeypatch.setattr(module, name, value)
    assert PixelJudge().identity().sha != before


def test_an_element_that_cannot_be_told_from_the_world_is_uncertain(scene: Scene) -> None:
    assert scene.clean is not None
    same = Scene(scene.clean, scene.clean, scene.elements)
    assert {e.state for e in PixelJudge().ask(same, scene.clean).elements} == {State.UNCERTAIN}
