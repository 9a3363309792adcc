"""Exact truth from twins: two renderings of one play, with and without its interface."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cv2
import numpy as np

from g2w.footage.widgets import Element

MIN_DIFFERENCE = 2
"""Grey levels by which a raw pixel must differ from its twin to belong to an element."""


class TwinError(RuntimeError):
    """Two renderings of one play differ where they must not."""


def verify_twin(
    shown: Iterable[np.ndarray], hidden: Iterable[np.ndarray], elements: tuple[Element, ...]
) -> list[dict[str, Any]]:
    """Check every frame of a twin and return the boxes of all elements, as rows of `element_boxes`.

    Raises:
        TwinError: if the two differ in length, in size, or in a single pixel outside the elements' zones.
    """
    rows: list[dict[str, Any]] = []
    try:
        for index, (a, b) in enumerate(zip(shown, hidden, strict=True)):
            rows += element_boxes(index, a, b, elements)
    except ValueError as error:
        raise TwinError(f"the two renderings have different numbers of frames: {error}") from error
    return rows


def element_boxes(
    index: int, shown: np.ndarray, hidden: np.ndarray, elements: tuple[Element, ...]
) -> list[dict[str, Any]]:
    """Tight boxes of what each element changed in one frame.

    Args:
        index: number of the frame.
        shown, hidden: uint8 RGB (h, w, 3), raw.
        elements: with the zones to look in.

    Returns:
        A row per element: frame_index, element_id, cls, x, y, w, h in pixels, visible. An element that is not there has
        an empty box at the corner of its zone.

    Raises:
        TwinError: if any pixel outside every zone differs at all, because then the two are not twins.
    """
    if shown.shape != hidden.shape:
        raise TwinError(f"frame {index}: one picture is {shown.shape}, the other {hidden.shape}")
    outside = cv2.absdiff(shown, hidden)
    rows = []
    parts = [outside[y : y + h, x : x + w] for x, y, w, h in (element.zone for element in elements)]
    for element, part in zip(elements, parts, strict=True):
        x, y = element.zone[:2]
        changed = (part.max(axis=2) > MIN_DIFFERENCE).astype(np.uint8)
        left, top, w, h = cv2.boundingRect(changed)
        visible = w > 0
        box = (x + left, y + top, w, h) if visible else (x, y, 0, 0)
        rows.append(
            {
                "frame_index": index,
                "element_id": element.element_id,
                "cls": element.cls,
                **dict(zip("xywh", box, strict=True)),
                "visible": visible,
            }
        )
    for part in parts:
        part[:] = 0
    if outside.any():
        where = np.argwhere(outside.any(axis=2))
        first = f"first at x {where[0][1]}, y {where[0][0]}"
        raise TwinError(f"frame {index}: {len(where)} pixels differ outside the HUD, {first}")
    return rows
