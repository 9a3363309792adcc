"""Grades of what is left where an element was."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from g2w.bench.artifact import MINOR, NONE, ArtifactReference, artifact_of
from g2w.bench.judge import Artifact, Scene
from g2w.bench.regions import region_of
from g2w.bench.structure import StructureReference, luma


def grades(scene: Scene, output: np.ndarray) -> list[Artifact]:
    assert scene.clean is not None
    similarity = StructureReference(scene.clean).similarity(luma(output))
    references = [ArtifactReference(scene.clean, scene.source, region_of(element)) for element in scene.elements]
    return [artifact_of(reference.features(output, similarity, 0.0)) for reference in references]


def test_the_truth_and_its_faithful_copies_are_clean(scene: Scene) -> None:
    assert scene.clean is not None
    brighter = np.clip(scene.clean.astype(int) + 4, 0, 255).astype(np.uint8)
    encoded = cv2.imdecode(cv2.imencode(".jpg", scene.clean, [1, 80])[1], 1)
    for output in (scene.clean, brighter, encoded):
        assert grades(scene, output) == [Artifact.NONE] * 3


def test_holes_noise_and_smears_are_major(scene: Scene) -> None:
    assert scene.clean is not None
    noisy = np.clip(scene.clean + np.random.default_rng(0).normal(0, 40, scene.clean.shape), 0, 255).astype(np.uint8)
    for output in (np.zeros_like(scene.clean), noisy, cv2.GaussianBlur(scene.source, (0, 0), 12)):
        assert grades(scene, output) == [Artifact.MAJOR] * 3


@pytest.mark.parametrize(
    ("feature", "minor", "major"),
    [("ssim", 0.7, 0.5), ("delta_e", 4, 7), ("hf", 0.3, 0.1), ("hf", 2, 3), ("seam", 3, 6), ("residual", 5, 10)],
)
def test_every_feature_can_spoil_the_grade(feature: str, minor: float, major: float) -> None:
    good = {"ssim": 0.95, "delta_e": 0.5, "hf": 1.0, "seam": 0.2, "residual": 0.5}
    assert artifact_of(good) is Artifact.NONE
    assert artifact_of({**good, feature: minor}) is Artifact.MINOR
    assert artifact_of({**good, feature: major}) is Artifact.MAJOR


def test_published_limits() -> None:
    assert (NONE.ssim, NONE.delta_e, NONE.hf, NONE.seam, NONE.residual) == (0.80, 2.5, (0.4, 1.6), 2, 3)
    assert (MINOR.ssim, MINOR.delta_e, MINOR.hf, MINOR.seam, MINOR.residual) == (0.60, 6, (0.25, 2.5), 5, 9)


def test_a_ghost_leaves_a_residual_in_proportion(scene: Scene) -> None:
    assert scene.clean is not None
    reference = ArtifactReference(scene.clean, scene.source, region_of(scene.elements[0]))
    similarity = np.ones((720, 1280), np.float32)
    found = [reference.features(scene.clean, similarity, pi)["residual"] for pi in (0.0, 0.1, 0.2, -0.1)]
    assert found[0] == 0 and found[2] == pytest.approx(2 * found[1]) and found[3] == 0
