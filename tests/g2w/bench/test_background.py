"""Grades of the background: what must be preserved, and what must not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from g2w.bench.background import BackgroundReference, background_grade
from g2w.bench.judge import Background, Scene
from g2w.bench.regions import background_of
from g2w.bench.structure import luma


@pytest.fixture(scope="module")
def reference(scene: Scene) -> BackgroundReference:
    assert scene.clean is not None
    return BackgroundReference(scene.clean, scene.source, background_of(scene))


def grade(reference: BackgroundReference, output: np.ndarray) -> Background:
    gray = luma(output)
    return background_grade(reference.features(output, gray, reference.structure.similarity(gray)))


def jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    return cv2.imdecode(cv2.imencode(".jpg", image, [1, quality])[1], 1)


def test_identical_encoded_and_ui_left_in_place_are_preserved(scene: Scene, reference: BackgroundReference) -> None:
    assert scene.clean is not None
    for output in (
        scene.clean,
        scene.source,
        jpeg(scene.clean, 90),
        np.clip(scene.clean.astype(int) + 3, 0, 255).astype(np.uint8),
    ):
        assert grade(reference, output) is Background.PRESERVED


def test_erased_patches_are_a_minor_change(scene: Scene, reference: BackgroundReference) -> None:
    assert scene.clean is not None
    output = scene.clean.copy()
    for x in (200, 500, 800):
        output[300:420, x : x + 120] = output[300:420, x : x + 120].mean(axis=(0, 1))
    assert grade(reference, output) is Background.MINOR


def test_blur_shift_noise_and_another_scene_are_major(scene: Scene, reference: BackgroundReference) -> None:
    assert scene.clean is not None
    noisy = np.clip(scene.clean + np.random.default_rng(0).normal(0, 40, scene.clean.shape), 0, 255).astype(np.uint8)
    for output in (
        cv2.GaussianBlur(scene.clean, (0, 0), 20),
        np.roll(scene.clean, 60, 1),
        noisy,
        scene.clean[::-1].copy(),
    ):
        assert grade(reference, output) is Background.MAJOR


def test_what_happens_inside_the_boxes_does_not_matter(scene: Scene, reference: BackgroundReference) -> None:
    assert scene.clean is not None
    output = scene.clean.copy()
    for element in scene.elements:
        x, y, w, h = element.box
        output[max(0, y - 10) : y + h + 10, x - 10 : x + w + 10] = 0
    assert reference.features(output, luma(output), reference.structure.similarity(luma(output)))["bg_bad_share"] == 0
    assert not reference.new_overlay(luma(output))


def test_a_new_overlay_is_seen_and_damage_is_not_one(scene: Scene, reference: BackgroundReference) -> None:
    assert scene.clean is not None
    drawn = scene.clean.copy()
    cv2.putText(drawn, "REMOVED BY X", (380, 500), cv2.FONT_HERSHEY_SIMPLEX, 2.2, (255, 255, 255), 8)
    assert reference.new_overlay(luma(drawn))
    noisy = np.clip(scene.clean + np.random.default_rng(0).normal(0, 60, scene.clean.shape), 0, 255).astype(np.uint8)
    for output in (scene.clean, scene.source, noisy, jpeg(scene.clean, 60)):
        assert not reference.new_overlay(luma(output))


def test_without_background_the_answer_is_uncertain(scene: Scene) -> None:
    assert scene.clean is not None
    nothing = BackgroundReference(scene.clean, scene.source, np.zeros((720, 1280), np.uint8))
    gray = luma(scene.clean)
    assert (
        background_grade(nothing.features(scene.clean, gray, nothing.structure.similarity(gray)))
        is Background.UNCERTAIN
    )
