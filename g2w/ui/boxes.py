"""Boxes of elements: mappings with x, y, w, h in pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Box = Mapping[str, Any]


def iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes with x, y, w, h."""
    w = min(a["x"] + a["w"], b["x"] + b["w"]) - max(a["x"], b["x"])
    h = min(a["y"] + a["h"], b["y"] + b["h"]) - max(a["y"], b["y"])
    if w <= 0 or h <= 0:
        return 0.0
    return float(w * h / (a["w"] * a["h"] + b["w"] * b["h"] - w * h))
