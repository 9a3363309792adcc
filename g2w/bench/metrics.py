"""AAR, UI, Clean, BG, tracks and the rest, from verdict rows (evals.md 1.2). All values are in percent.

Macro metrics average elements in a frame, frames in a video, videos in a set. A set's score is a ratio of two sums over
videos, so that resampling videos never has to look at a verdict again: `Tally` holds both sums per video.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from g2w.bench.judge import Artifact, Background, State, Status

WEIGHT = {Artifact.NONE: 1.0, Artifact.MINOR: 0.5, Artifact.MAJOR: 0.0, Artifact.NOT_APPLICABLE: 0.0}
BACKGROUND_WEIGHT = {Background.PRESERVED: 1.0, Background.MINOR: 0.5, Background.MAJOR: 0.0, Background.UNCERTAIN: 0.0}
ELEMENT_METRICS = ("aar", "ui", "clean", "uncertain")
BOX_METRICS = {"aar": "box_micro_aar", "ui": "box_micro_ui", "clean": "box_micro_clean"}
TRACK_METRICS = ("track_all", "track_clean", "track_clean_3")
FRAME_METRICS = ("bg", "new_ui", "missing")
QUALITY_METRICS = ("psnr_inside", "ssim_inside", "psnr_background")
METRICS = (*ELEMENT_METRICS, *BOX_METRICS.values(), *TRACK_METRICS, *FRAME_METRICS, *QUALITY_METRICS)
UNITS = dict.fromkeys(METRICS, "%") | {"psnr_inside": "dB", "psnr_background": "dB", "ssim_inside": ""}
LONG_TRACK = 3

Row = Mapping[str, Any]


def element_scores(row: Row, *, error_as: float = 0.0) -> dict[str, float]:
    """w, u, c, n of one element verdict. A missing frame scores 0; an error scores `error_as`, for bounds only."""
    if row["status"] == Status.ERROR:
        return {"aar": error_as, "ui": error_as, "clean": error_as, "uncertain": 0.0}
    if row["status"] == Status.MISSING:
        return dict.fromkeys(ELEMENT_METRICS, 0.0)
    state, artifact = State(row["state"]), Artifact(row["artifact"])
    return {
        "aar": WEIGHT[artifact] if state is State.REMOVED else 0.0,
        "ui": float(state is State.REMOVED),
        "clean": float(state is State.REMOVED and artifact is Artifact.NONE),
        "uncertain": float(state is State.UNCERTAIN),
    }


def background_score(row: Row, *, error_as: float = 0.0) -> float:
    """b of one frame verdict: 1, 0.5 or 0."""
    if row["status"] == Status.ERROR:
        return error_as
    return 0.0 if row["status"] == Status.MISSING else BACKGROUND_WEIGHT[Background(row["background"])]


@dataclass
class Tally:
    """Sums of one video: metric -> (numerator, denominator); of a macro metric 1, or 0 if it does not apply."""

    item_id: str
    game: str
    sums: dict[str, tuple[float, float]] = field(default_factory=dict)
    classes: dict[str, tuple[float, float]] = field(default_factory=dict)


def tally_video(rows: Sequence[Row], *, error_as: float = 0.0) -> Tally:
    """Tally of the verdicts of one system on one video. The order of the rows does not matter.

    Raises:
        ValueError: if the rows belong to more than one system or video, or hold no frame.
    """
    keys = {(row["system"], row["suite"], row["item_id"], row["game"]) for row in rows}
    if len(keys) != 1:
        raise ValueError(f"a tally needs the verdicts of one system on one video, got {sorted(keys)[:3]}")
    frames = [row for row in rows if row["level"] == "frame"]
    elements = [(row, element_scores(row, error_as=error_as)) for row in rows if row["level"] == "element"]
    if not frames:
        raise ValueError(f"no frame was judged in {sorted(keys)[0]}: every judged frame has a row of level 'frame'")
    (_, _, item_id, game) = keys.pop()
    tally = Tally(item_id, game)
    tally.sums |= _macro(elements) | _micro(elements) | _tracks(elements)
    tally.sums |= {
        "bg": (_mean([background_score(row, error_as=error_as) for row in frames]), 1.0),
        "new_ui": (100 * float(np.mean([bool(row["new_overlay"]) for row in frames])), 1.0),
        "missing": (100 * float(np.mean([row["status"] == Status.MISSING for row in frames])), 1.0),
    }
    for name in QUALITY_METRICS:
        values = [row[name] for row in frames if row.get(name) is not None]
        tally.sums[name] = (float(np.mean(values)), 1.0) if values else (0.0, 0.0)
    tally.classes = _by_class(elements)
    return tally


def _mean(values: Sequence[float]) -> float:
    return 100 * float(np.mean(values))


def _macro(elements: Sequence[tuple[Row, dict[str, float]]]) -> dict[str, tuple[float, float]]:
    frames: dict[int, list[dict[str, float]]] = defaultdict(list)
    for row, score in elements:
        frames[row["t_ms"]].append(score)
    if not frames:
        return dict.fromkeys(ELEMENT_METRICS, (0.0, 0.0))
    return {
        name: (float(np.mean([_mean([s[name] for s in frames[t]]) for t in sorted(frames)])), 1.0)
        for name in ELEMENT_METRICS
    }


def _micro(elements: Sequence[tuple[Row, dict[str, float]]]) -> dict[str, tuple[float, float]]:
    return {
        label: (100 * sum(score[name] for _, score in elements), float(len(elements)))
        for name, label in BOX_METRICS.items()
    }


def _tracks(elements: Sequence[tuple[Row, dict[str, float]]]) -> dict[str, tuple[float, float]]:
    tracks: dict[str, list[dict[str, float]]] = defaultdict(list)
    for row, score in elements:
        tracks[row["track_id"]].append(score)
    long_ones = [scores for scores in tracks.values() if len(scores) >= LONG_TRACK]

    def share(chosen: Iterable[Sequence[dict[str, float]]], name: str) -> float:
        return 100.0 * sum(all(score[name] == 1 for score in scores) for scores in chosen)

    return {
        "track_all": (share(tracks.values(), "ui"), float(len(tracks))),
        "track_clean": (share(tracks.values(), "clean"), float(len(tracks))),
        "track_clean_3": (share(long_ones, "clean"), float(len(long_ones))),
    }


def _by_class(elements: Sequence[tuple[Row, dict[str, float]]]) -> dict[str, tuple[float, float]]:
    sums: dict[str, tuple[float, float]] = {}
    for row, score in elements:
        total, count = sums.get(row["cls"], (0.0, 0.0))
        sums[row["cls"]] = (total + 100 * score["aar"], count + 1)
    return sums


def ratio(tallies: Sequence[Tally], metric: str) -> float | None:
    """A set's value of a metric; None if it applies to no video."""
    pairs = [tally.sums[metric] for tally in tallies]
    total = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / total if total else None


def overall(aar_s: float, bg_s: float, aar_w: float, bg_w: float) -> float:
    """Overall = (AAR_S + BG_S + AAR_W + BG_W) / 4."""
    # Rounded once: 1.30 + 83.30 + 2.86 + 83.00 summed in steps is a hair below 170.46, and prints as 42.61.
    return math.fsum((aar_s, bg_s, aar_w, bg_w)) / 4


def round_half_up(value: float | str | Decimal, digits: int = 2) -> float:
    """Rounding as tables are printed: 93.335 becomes 93.34 (the built-in `round` gives 93.33)."""
    # repr of a float is its shortest decimal, so 93.335 is rounded as it reads and not as it is stored.
    return float(Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
