"""Which annotated elements can be judged: decided by the data when a set is built, never by a judge (evals.md 1.2)."""

from __future__ import annotations

from enum import StrEnum

import cv2
import numpy as np

from g2w.bench.judge import SceneElement
from g2w.bench.persistence import PersistenceReference
from g2w.bench.regions import region_of

MIN_AREA_PX = 16
MIN_DIFFERENCE = 3.0
DIFFERENCE_LEVEL = 12
"""Gray levels by which decoded twins must differ to belong to an element: above the noise of two encodings."""
CLOSE_PX = 2


class Hidden(StrEnum):
    """Why an element is not judged in a frame; empty if it is."""

    NO = ""
    NOT_SHOWN = "not_shown"
    TINY = "tiny"
    FAINT = "faint"
    NO_EDGES = "no_edges"


def hidden_reason(clean: np.ndarray, source: np.ndarray, element: SceneElement, *, shown: bool) -> Hidden:
    """Why this element cannot be judged in this frame (uint8 RGB pictures of the canvas), or `Hidden.NO`.

    Tiny: under 16 pixels. Faint: its pixels differ by under 3 gray levels on average. No edges: it has under 20 edge
    pixels of its own, or the world's edges drown them, so that no judge could tell it from the world.
    """
    if not shown:
        return Hidden.NOT_SHOWN
    x, y, w, h = element.box
    mask = element.mask if element.mask is not None else np.full((h, w), 255, np.uint8)
    if w * h < MIN_AREA_PX or cv2.countNonZero(mask) < MIN_AREA_PX:
        return Hidden.TINY
    difference = cv2.absdiff(source[y : y + h, x : x + w], clean[y : y + h, x : x + w])
    if float(difference[mask > 0].mean()) < MIN_DIFFERENCE:
        return Hidden.FAINT
    if not PersistenceReference(clean, source, region_of(element)).judgeable:
        return Hidden.NO_EDGES
    return Hidden.NO


def difference_mask(clean: np.ndarray, source: np.ndarray, boxes: list[tuple[int, int, int, int]]) -> np.ndarray:
    """Mask of a twin: where the decoded pictures differ inside the true boxes, closed over 2 px; uint8 0 / 255."""
    mask = np.zeros(clean.shape[:2], np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * CLOSE_PX + 1, 2 * CLOSE_PX + 1))
    for x, y, w, h in boxes:
        window = (slice(y, y + h), slice(x, x + w))
        difference = cv2.absdiff(source[window], clean[window]).max(axis=2)
        inside = np.where(difference > DIFFERENCE_LEVEL, 255, 0).astype(np.uint8)
        mask[window] = np.maximum(mask[window], cv2.morphologyEx(inside, cv2.MORPH_CLOSE, kernel))
    return mask
