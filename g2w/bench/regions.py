"""Where to look: the region R of an element, the ring around it, and the background K (evals.md 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from g2w.bench.judge import CANVAS, Scene, SceneElement

GROW_PX = 6
BACKGROUND_MARGIN_PX = 16
RING_PX = 3
CONTEXT_PX = 20
"""Room around an element in its crop: enough for the dilation, the ring and a Gaussian of sigma 6."""


@lru_cache(maxsize=8)
def disk(radius: int) -> np.ndarray:
    """Elliptic structuring element of this radius in pixels."""
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))


@dataclass(frozen=True, eq=False)
class Region:
    """One element's surroundings: a crop of the canvas and masks in it.

    Attributes:
        top, left, bottom, right: the crop, in canvas pixels.
        inside: bool, region R = element mask grown by 6 px.
        ring: bool, 3 px on either side of the boundary of R.
    """

    top: int
    left: int
    bottom: int
    right: int
    inside: np.ndarray
    ring: np.ndarray

    @property
    def slices(self) -> tuple[slice, slice]:
        """Index of the crop in a picture of the canvas."""
        return slice(self.top, self.bottom), slice(self.left, self.right)


def region_of(element: SceneElement) -> Region:
    """Crop and masks of one element; without a mask the whole box stands for it."""
    x, y, w, h = element.box
    top, left = max(0, y - CONTEXT_PX), max(0, x - CONTEXT_PX)
    bottom, right = min(CANVAS[1], y + h + CONTEXT_PX), min(CANVAS[0], x + w + CONTEXT_PX)
    mask = np.zeros((bottom - top, right - left), np.uint8)
    mask[y - top : y - top + h, x - left : x - left + w] = 255 if element.mask is None else element.mask
    inside = cv2.dilate(mask, disk(GROW_PX))
    ring = (cv2.dilate(inside, disk(RING_PX)) > 0) & (cv2.erode(inside, disk(RING_PX)) == 0)
    return Region(top, left, bottom, right, inside > 0, ring)


def background_of(scene: Scene) -> np.ndarray:
    """Region K: uint8 0 / 255 (720, 1280), everything farther than 16 px from every annotated box."""
    background = np.full((CANVAS[1], CANVAS[0]), 255, np.uint8)
    m = BACKGROUND_MARGIN_PX
    for x, y, w, h in [*(element.box for element in scene.elements), *scene.ignored]:
        background[max(0, y - m) : y + h + m, max(0, x - m) : x + w + m] = 0
    return background
