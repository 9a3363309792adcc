"""How good is a matte? Alpha error against the true one, apart for opaque, translucent, soft and empty pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import cv2
import numpy as np

OPAQUE, EMPTY = 0.95, 0.05
STEP = 0.25
"""Alpha difference within 3 x 3 pixels that makes an edge."""
REGIONS = ("opaque", "translucent", "edge", "empty")


def alpha_regions(alpha: np.ndarray) -> dict[str, np.ndarray]:
    """Where a true alpha, float (h, w) in 0..1, is what: four bool masks (h, w) that share out all pixels.

    `edge`: within a pixel of a step; of the rest `opaque`, `empty`, and `translucent` for what lies between.
    """
    alpha = alpha.astype(np.float32)
    kernel = np.ones((3, 3), np.uint8)
    edge = cv2.dilate(alpha, kernel) - cv2.erode(alpha, kernel) > STEP
    opaque, empty = ~edge & (alpha >= OPAQUE), ~edge & (alpha <= EMPTY)
    return {"opaque": opaque, "translucent": ~edge & ~opaque & ~empty, "edge": edge, "empty": empty}


def alpha_errors(alpha: np.ndarray, truth: np.ndarray) -> dict[str, tuple[float, int]]:
    """Sum of absolute alpha differences (0..1) and number of pixels, by region of the truth; both are float (h, w)."""
    if alpha.shape != truth.shape:
        raise ValueError(f"alpha is {alpha.shape}, the truth {truth.shape}")
    wrong = np.abs(alpha.astype(np.float64) - truth)
    return {name: (float(wrong[mask].sum()), int(mask.sum())) for name, mask in alpha_regions(truth).items()}


def mean_errors(errors: Iterable[Mapping[str, tuple[float, int]]]) -> dict[str, tuple[float | None, int]]:
    """Mean absolute error per region over all pixels of all elements, None where there are none, and `visible`: all but
    the empty ones."""
    rows = list(errors)
    totals = {name: (sum(r[name][0] for r in rows), sum(r[name][1] for r in rows)) for name in REGIONS}
    seen = [totals[name] for name in REGIONS if name != "empty"]
    totals["visible"] = (sum(t[0] for t in seen), sum(t[1] for t in seen))
    return {name: (total / count if count else None, count) for name, (total, count) in totals.items()}


def alpha_from_renderings(on_black: np.ndarray, on_white: np.ndarray) -> np.ndarray:
    """Exact alpha, float32 (h, w), of a synthesizer's element drawn over black and over white, uint8 (h, w, 3)."""
    passed = on_white.astype(np.float32).mean(axis=2) - on_black.astype(np.float32).mean(axis=2)
    return np.clip(1 - passed / 255, 0, 1)
