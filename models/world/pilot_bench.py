"""What the interface in the training data did to the pilot's model: the same measurements on both arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from g2w.video.read import read_frames
from models.perception.frechet import frechet_distance
from models.training.checkpoint import load_checkpoint
from models.world.config import WindowConfig, pilot_config_from_dict
from models.world.flow import FLOW_BACKEND, motion_score, temporal_flicker
from models.world.intervals import bootstrap_mean
from models.world.pilot import ARMS, KIND, sample_pilot
from models.world.preview import strip

NUM_SAMPLES = 64
UNAVAILABLE = ("videoreward_overall", "laion_aesthetic", "musiq")
"""Scores of the published pilot whose weights are not here."""


class Embeds(Protocol):
    """What is needed of an embedder: its identity's name and vectors of frames."""

    identity: Any

    def embed(self, frames: Sequence[np.ndarray]) -> np.ndarray:
        """Frames uint8 RGB -> (N, D) float32."""


def score_pilot(
    checkpoint: Path,
    clips: Sequence[Path],
    embedder: Embeds,
    *,
    out: Path,
    seed: int = 0,
    num_samples: int = NUM_SAMPLES,
) -> list[dict[str, Any]]:
    """Sample both arms from the same noise and compare them with held-out clean clips.

    Metrics: Frechet distance of frame features on a named backbone, motion (share of the short side), flicker, and
    standing edges: interface does not move, so edges that stay over a whole window are its trace. Differences of
    the arms are paired. Scores whose weights are
    absent are rows with status unavailable. Writes `preview.webp` (upper rows: arm clean; lower rows: arm ui).

    Returns:
        Score rows: score_id, metric, arm, value, lo, hi, n, unit, backend, status.
    """
    config = pilot_config_from_dict(load_checkpoint(Path(checkpoint) / ARMS[0], kind=KIND).config["pilot"])
    real = [_window(path, config.window) for path in clips]
    if not real:
        raise ValueError("the pilot is compared with held-out clean clips; none was given")
    samples = {arm: sample_pilot(Path(checkpoint) / arm, num_samples, seed=seed) for arm in ARMS}
    _preview(out, samples)
    rows = []
    features = embedder.embed([frame for video in real for frame in video])
    distances = {}
    for arm, videos in samples.items():
        distances[arm] = frechet_distance(embedder.embed([frame for video in videos for frame in video]), features)
        rows.append(_row("frechet", arm, distances[arm], n=num_samples, backend=str(embedder.identity.name)))
    rows.append(
        _row(
            "frechet_ui_minus_clean",
            None,
            distances["ui"] - distances["clean"],
            n=num_samples,
            backend=str(embedder.identity.name),
        )
    )
    measures: dict[str, tuple[Callable[[np.ndarray], float], str]] = {
        "motion": (motion_score, FLOW_BACKEND), "flicker": (temporal_flicker, "none"), "standing_edges": (standing_edges, "none"),
    }  # fmt: skip
    for metric, (measure, backend) in measures.items():
        everything: dict[str, list[np.ndarray]] = {
            **{str(arm): list(videos) for arm, videos in samples.items()},
            "real": real,
        }
        measured = {}
        for name, shown in everything.items():
            values = np.array([measure(video) for video in shown])
            low, high = bootstrap_mean(values, seed=seed)
            rows.append(_row(metric, name, float(values.mean()), low, high, n=len(values), backend=backend))
            measured[name] = values
        # Samples of equal index start from the same noise and caption: the difference is taken pair by pair.
        change = measured["ui"] - measured["clean"]
        low, high = bootstrap_mean(change, seed=seed)
        rows.append(
            _row(f"{metric}_ui_minus_clean", None, float(change.mean()), low, high, n=len(change), backend=backend)
        )
    return rows + [_row(metric, arm, None, status="unavailable") for metric in UNAVAILABLE for arm in ARMS]


def standing_edges(frames: np.ndarray) -> float:
    """Share in [0, 1] of the edges of a window that stand still on the screen: the smallest gradient magnitude that each
    pixel shows over time, against the mean one. Frames uint8 (T, h, w, 3); a window without an edge has a share of 0."""
    gray = frames.astype(np.float32).mean(axis=-1)
    dy, dx = np.gradient(gray, axis=(1, 2))
    edges = np.hypot(dx, dy)
    return float(edges.min(axis=0).sum() / max(float(edges.mean(axis=0).sum()), 1e-6))


def _window(path: Path, window: WindowConfig) -> np.ndarray:
    frames = read_frames(path, stop=window.span, size=(window.width, window.height))
    return frames[:: window.stride][: window.num_frames]


def _preview(out: Path, samples: dict[Any, np.ndarray]) -> None:
    from g2w.video.sheet import save_webp

    save_webp(Path(out) / "preview.webp", strip([videos[:3] for videos in samples.values()]))


def _row(
    metric: str,
    arm: str | None,
    value: float | None,
    lo: float | None = None,
    hi: float | None = None,
    *,
    n: int = 0,
    backend: str = "none",
    status: str = "ok",
) -> dict[str, Any]:
    score_id = f"pilot/{metric}" + (f"_{arm}" if arm else "")
    numbers = {
        name: None if x is None else round(float(x), 6) for name, x in (("value", value), ("lo", lo), ("hi", hi))
    }
    return {
        "score_id": score_id,
        "metric": metric,
        "arm": arm,
        **numbers,
        "n": n,
        "unit": "",
        "backend": backend,
        "status": status,
    }
