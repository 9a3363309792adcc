"""The judge that needs no model: it compares with the truth, pixel by pixel (evals.md 6)."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from g2w.bench import artifact, background, persistence, regions
from g2w.bench.artifact import ArtifactReference, artifact_of
from g2w.bench.background import BackgroundReference, background_grade
from g2w.bench.judge import CANVAS, ElementVerdict, FrameVerdict, JudgeId, Scene, SceneElement, State
from g2w.bench.persistence import PersistenceReference, state_of
from g2w.bench.restoration import RestorationReference
from g2w.bench.structure import luma
from g2w.lineage.canonical import sha256_json

VERSION = "1"


def pixel_rules() -> dict[str, object]:
    """Every constant that decides a verdict; hashed into the judge's identity."""
    return {
        "version": VERSION,
        "persistence": {
            "max_shift_px": persistence.MAX_SHIFT_PX,
            "min_edge": persistence.MIN_EDGE,
            "min_edge_pixels": persistence.MIN_EDGE_PIXELS,
            "max_world_share": persistence.MAX_WORLD_SHARE,
            "removed_below": persistence.REMOVED_BELOW,
            "present_from": persistence.PRESENT_FROM,
        },
        "artifact": {"none": _plain(artifact.NONE), "minor": _plain(artifact.MINOR)},
        "background": {
            "preserved": _plain(background.PRESERVED),
            "minor": _plain(background.MINOR),
            "bad_block": [background.BAD_SSIM, background.BAD_RMS, background.BAD_DELTA_E],
            "new_overlay": [background.NEW_EDGE, background.NEW_CLUSTER, background.NEW_SHARE],
        },
        "regions": [regions.GROW_PX, regions.RING_PX, regions.BACKGROUND_MARGIN_PX, background.BLOCK_PX],
    }


def _plain(limits: artifact.ArtifactLimits | background.BackgroundLimits) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(limits).items()}


class PixelJudge:
    """Compares output, source and truth. What depends on the scene alone is kept for the next output."""

    def __init__(self) -> None:
        self._identity = JudgeId(backend="pixel", model="pixel", revision=sha256_json(pixel_rules()), canvas=CANVAS)
        self._scene: Scene | None = None
        self._reference: _SceneReference | None = None

    def identity(self) -> JudgeId:
        """Identity over all thresholds; the same on every machine."""
        return self._identity

    def ask(self, scene: Scene, output: np.ndarray) -> FrameVerdict:
        """Judge one output; see `Judge.ask`. Asking for many outputs of one scene in a row is several times faster.

        Raises:
            ValueError: if the scene has no clean picture (in the wild this judge abstains) or the output is off canvas.
        """
        if scene.clean is None:
            raise ValueError("the pixel judge needs a clean picture; in the wild use a judge that needs no truth")
        if output.shape != scene.source.shape or output.dtype != np.uint8:
            raise ValueError(f"output must be uint8 {scene.source.shape}, got {output.dtype} {output.shape}")
        if self._scene is not scene or self._reference is None:
            self._scene, self._reference = scene, _SceneReference(scene, scene.clean)
        return self._reference.verdict(output)


class _SceneReference:
    """All references of one scene."""

    def __init__(self, scene: Scene, clean: np.ndarray) -> None:
        outside = regions.background_of(scene)
        self._background = BackgroundReference(clean, scene.source, outside)
        self._elements = [_ElementReference(clean, scene.source, element) for element in scene.elements]
        inside = np.zeros((CANVAS[1], CANVAS[0]), np.uint8)
        for element in self._elements:
            inside[element.region.slices][element.region.inside] = 255
        self._restoration = RestorationReference(clean, inside, outside)

    def verdict(self, output: np.ndarray) -> FrameVerdict:
        """Verdict on one output; only what depends on the output is computed."""
        gray = luma(output)
        similarity = self._background.structure.similarity(gray)
        features = self._background.features(output, gray, similarity)
        return FrameVerdict(
            background=background_grade(features),
            new_overlay=self._background.new_overlay(gray),
            elements=tuple(element.verdict(output, similarity) for element in self._elements),
            features={**features, **self._restoration.features(output, similarity)},
        )


class _ElementReference:
    def __init__(self, clean: np.ndarray, source: np.ndarray, element: SceneElement) -> None:
        self._id = element.element_id
        self.region = regions.region_of(element)
        self._persistence = PersistenceReference(clean, source, self.region)
        self._artifact = ArtifactReference(clean, source, self.region)

    def verdict(self, output: np.ndarray, similarity: np.ndarray) -> ElementVerdict:
        """Verdict on one output; `similarity` is its SSIM map to the clean picture."""
        if not self._persistence.judgeable:
            return ElementVerdict(self._id, State.UNCERTAIN, evidence="too few edges of its own to look for")
        pi = self._persistence.persistence(output)
        features = self._artifact.features(output, similarity, pi)
        state = state_of(pi)
        if state is State.REMOVED:
            return ElementVerdict(self._id, state, artifact_of(features), features=features)
        return ElementVerdict(self._id, state, features=features)
