"""Outputs whose right verdict is known by construction, to find out how far a judge can be trusted (evals.md 6, 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from g2w.bench.agreement import cohen_kappa
from g2w.bench.controls import BLUR_ALL, OTHER_CLIP, blur_all
from g2w.bench.items import iter_scenes
from g2w.bench.judge import Artifact, Background, Judge, Scene, State
from g2w.bench.pixel_judge import PixelJudge
from g2w.bench.regions import region_of

RATER_KIND = "designed"
_MOVE_PX = (1, 3)


@dataclass(frozen=True)
class Design:
    """One kind of designed output: the picture and its right verdicts. Artifact None: no single one is right."""

    name: str
    make: Callable[[Scene, np.ndarray, np.ndarray], np.ndarray]
    state: State
    artifact: Artifact | None = None


def _mix(alpha: float) -> Callable[[Scene, np.ndarray, np.ndarray], np.ndarray]:
    def make(scene: Scene, clean: np.ndarray, inside: np.ndarray) -> np.ndarray:
        return cv2.addWeighted(scene.source, alpha, clean, 1 - alpha, 0)

    return make


def _filled(fill: Callable[[Scene, np.ndarray], np.ndarray]) -> Callable[[Scene, np.ndarray, np.ndarray], np.ndarray]:
    def make(scene: Scene, clean: np.ndarray, inside: np.ndarray) -> np.ndarray:
        return np.where(inside[..., None], fill(scene, clean), scene.source)

    return make


def _moved(scene: Scene, clean: np.ndarray, inside: np.ndarray) -> np.ndarray:
    source, where = (np.roll(image, _MOVE_PX, (0, 1)) for image in (scene.source, inside))
    return np.where(where[..., None], source, clean)


def _jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))


def _half(image: np.ndarray) -> np.ndarray:
    small = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_CUBIC)


def _noisy(image: np.ndarray, sigma: float) -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, sigma, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


DESIGNS = (
    Design("untouched", lambda scene, clean, inside: scene.source, State.PRESENT),
    Design("untouched, JPEG 60", lambda scene, clean, inside: _jpeg(scene.source, 60), State.PRESENT),
    Design("half transparent", _mix(0.5), State.PRESENT),
    Design("moved by 3 px", _moved, State.PRESENT),
    Design("perfect", lambda scene, clean, inside: clean, State.REMOVED, Artifact.NONE),
    Design("perfect, JPEG 60", lambda scene, clean, inside: _jpeg(clean, 60), State.REMOVED, Artifact.NONE),
    Design("perfect, half resolution", lambda scene, clean, inside: _half(clean), State.REMOVED, Artifact.NONE),
    Design("ghost of 10 %", _mix(0.1), State.REMOVED, Artifact.MINOR),
    Design("truth blurred", _filled(lambda scene, clean: cv2.GaussianBlur(clean, (0, 0), 4)), State.REMOVED),
    Design("interface blurred", _filled(lambda scene, clean: cv2.GaussianBlur(scene.source, (0, 0), 8)), State.REMOVED),
    Design("black", _filled(lambda scene, clean: np.zeros_like(clean)), State.REMOVED, Artifact.MAJOR),
    Design("noise", _filled(lambda scene, clean: _noisy(clean, 30)), State.REMOVED, Artifact.MAJOR),
)


def judge_reliability(
    items: Iterable[Mapping[str, Any]], sets_dir: str | Path, judge: Judge | None = None, *, frames_per_item: int = 1
) -> list[dict[str, Any]]:
    """Agreement of a judge with designed outputs on the scenes of a benchmark, and the two controls judged in memory.

    No person has labeled anything here: `rater_kind` says so.

    Returns:
        Rows with metric, kind, value (percent, or kappa in -1..1), n, rater_kind: `state_agreement` and
        `artifact_agreement` per kind and over all kinds (each kind weighing the same), `state_kappa`, and `control_bg`
        (BG of the controls blur-all and other-clip; must be 0).
    """
    cv2.setNumThreads(1)
    judge = judge or PixelJudge()
    answers: dict[str, list[tuple[State, Artifact]]] = {design.name: [] for design in DESIGNS}
    controls: dict[str, list[Background]] = {BLUR_ALL: [], OTHER_CLIP: []}
    chosen = list(items)
    for item, other in zip(chosen, chosen[1:] + chosen[:1], strict=True):
        foreign = next(iter_scenes(sets_dir, other))[1].clean
        for position, (_, scene, _) in enumerate(iter_scenes(sets_dir, item)):
            if position == frames_per_item:
                break
            _ask(judge, scene, answers, controls, foreign if other["clip_id"] != item["clip_id"] else None)
    return _agreement_rows(answers) + _control_rows(controls)


def _ask(
    judge: Judge,
    scene: Scene,
    answers: dict[str, list[tuple[State, Artifact]]],
    controls: dict[str, list[Background]],
    foreign: np.ndarray | None,
) -> None:
    if scene.clean is None:
        raise ValueError("designed outputs need the clean picture")
    inside = np.zeros(scene.source.shape[:2], bool)
    for element in scene.elements:
        region = region_of(element)
        inside[region.slices] |= region.inside
    if scene.elements:
        for design in DESIGNS:
            verdict = judge.ask(scene, design.make(scene, scene.clean, inside))
            answers[design.name] += [(answer.state, answer.artifact) for answer in verdict.elements]
    controls[BLUR_ALL].append(judge.ask(scene, blur_all(scene.source)).background)
    if foreign is not None:
        controls[OTHER_CLIP].append(judge.ask(scene, foreign).background)


def _agreement_rows(answers: Mapping[str, list[tuple[State, Artifact]]]) -> list[dict[str, Any]]:
    rows, states, artifacts, given, right = [], [], [], [], []
    for design in DESIGNS:
        own = answers[design.name]
        if not own:
            continue
        states.append(100 * float(np.mean([state is design.state for state, _ in own])))
        rows.append(_row("state_agreement", design.name, states[-1], len(own)))
        # Kappa is over removed or not: an uncertain answer is not removed.
        given += [state is State.REMOVED for state, _ in own]
        right += [design.state is State.REMOVED] * len(own)
        both = [artifact for state, artifact in own if state is State.REMOVED]
        if design.artifact is not None and both:
            artifacts.append(100 * float(np.mean([artifact is design.artifact for artifact in both])))
            rows.append(_row("artifact_agreement", design.name, artifacts[-1], len(both)))
    overall = []
    if states:
        overall.append(_row("state_agreement", "all kinds", float(np.mean(states)), len(given)))
        kappa = cohen_kappa(given, right)
        if kappa is not None:
            overall.append(_row("state_kappa", "all kinds", kappa, len(given)))
    if artifacts:
        overall.append(_row("artifact_agreement", "all kinds", float(np.mean(artifacts)), len(given)))
    return overall + rows


def _control_rows(controls: Mapping[str, list[Background]]) -> list[dict[str, Any]]:
    weight = {Background.PRESERVED: 100.0, Background.MINOR: 50.0}
    return [
        _row("control_bg", name, float(np.mean([weight.get(grade, 0.0) for grade in grades])), len(grades))
        for name, grades in controls.items()
        if grades
    ]


def _row(metric: str, kind: str, value: float, n: int) -> dict[str, Any]:
    return {"metric": metric, "kind": kind, "value": round(value, 4), "n": n, "rater_kind": RATER_KIND}
