"""Systems whose scores are known before they are judged: if one of them scores otherwise, the benchmark is broken.

Copying the input must score AAR 0 and BG 100; the truth 100 and 100; black boxes AAR 0 (but for black places), UI 100 and BG 100; a picture
out of focus must be a major change of the background, and another clip must leave nothing of it (evals.md 6.4 f).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from g2w.bench.items import boxes_by_frame, clip_box, read_elements
from g2w.video.read import iter_frames
from g2w.video.write import VideoWriter

COPY_INPUT, ORACLE, BLACK_BOXES, BLUR_ALL, OTHER_CLIP = "copy-input", "oracle", "black-boxes", "blur-all", "other-clip"
CONTROLS = (COPY_INPUT, BLACK_BOXES, ORACLE)
"""Controls that are written as videos and judged like any system; the last two are judged in memory (`designed.py`)."""
BLACK_MARGIN_PX = 8
"""Beyond the 6 px that the judge searches, so that the box's own border cannot pass for the element's."""


@dataclass(frozen=True)
class Expectation:
    """What a control must score, in percent."""

    system: str
    metric: str
    value: float
    tolerance: float = 0.0


EXPECTED = (
    Expectation(COPY_INPUT, "aar", 0.0),
    Expectation(COPY_INPUT, "ui", 0.0),
    Expectation(COPY_INPUT, "bg", 100.0),
    Expectation(ORACLE, "aar", 100.0),
    Expectation(ORACLE, "bg", 100.0),
    # Where the world behind an element is black, a black box is the truth.
    Expectation(BLACK_BOXES, "aar", 0.0, tolerance=5.0),
    Expectation(BLACK_BOXES, "ui", 100.0),
    Expectation(BLACK_BOXES, "bg", 100.0),
)


def check_controls(scores: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of suite, system, metric, expected, value, ok, for every suite; a control that was not run is not ok."""
    rows = list(scores)
    found = {(row["suite"], row["system"], row["metric"]): row["value"] for row in rows if row.get("cls") is None}
    suites = sorted({row["suite"] for row in rows if row["metric"] == "bg"})
    checks = []
    for suite in suites:
        for expected in EXPECTED:
            value = found.get((suite, expected.system, expected.metric))
            ok = value is not None and abs(value - expected.value) <= expected.tolerance + 1e-9
            checks.append(
                {
                    "suite": suite,
                    "system": expected.system,
                    "metric": expected.metric,
                    "expected": expected.value,
                    "value": value,
                    "ok": ok,
                }
            )
    return checks


def write_control(system: str, item: Mapping[str, Any], sets_dir: str | Path, out: str | Path) -> None:
    """Write a control's output video for one item.

    Copying the input and the truth are the very files, so that nothing but the judge can move their scores.

    Raises:
        ValueError: for a name that is not in `CONTROLS`.
    """
    root, out = Path(sets_dir), Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    if system == COPY_INPUT:
        shutil.copyfile(root / str(item["ui_file"]), out)
    elif system == ORACLE:
        shutil.copyfile(root / str(item["clean_file"]), out)
    elif system == BLACK_BOXES:
        grouped = boxes_by_frame(read_elements(sets_dir, item))
        with VideoWriter(out, width=1280, height=720, fps=round(float(item["fps"]))) as writer:
            for index, frame in enumerate(iter_frames(root / str(item["ui_file"]))):
                writer.write(black_boxes(frame, grouped.get(index, [])))
    else:
        raise ValueError(f"no control {system!r}; the controls that are videos are {', '.join(CONTROLS)}")


def black_boxes(frame: np.ndarray, rows: Iterable[Mapping[str, Any]]) -> np.ndarray:
    """The frame with every shown element's box, grown by 8 px, painted black."""
    painted, m = frame.copy(), BLACK_MARGIN_PX
    for row in rows:
        box = clip_box(row)
        if box is not None and row["hidden_reason"] != "not_shown":
            x, y, w, h = box
            painted[max(0, y - m) : y + h + m, max(0, x - m) : x + w + m] = 0
    return painted


def blur_all(frame: np.ndarray, sigma: float = 20.0) -> np.ndarray:
    """The whole picture out of focus."""
    return cv2.GaussianBlur(frame, (0, 0), sigma)
