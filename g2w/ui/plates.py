"""What edges alone do not show: the plate under an element, which dims the world, and a tape whose marks scroll.

A panel's text and numbers change, so that only fragments of it persist; the plate behind them is seen all over by how
little of the world's changes shines through. A compass has no plate and no mark that stays, except its base line: above
or below it there is more detail, frame after frame, than beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class PlateConfig:
    """Lengths in pixels of 640x360, shares 0..1, liveliness relative to the world (0 = opaque, 1 = open).

    Attributes:
        max_liveliness: of a plate.
        max_area_share: of the screen; a calm sky is larger.
        min_fill: share of its own box that a plate fills, holes (a scrolling map) counted in.
        min_inside: share of a fragment's edges that lie on the plate it belongs to.
        reach: pixels around a plate that count as on it: its border stands there.
        min_tape: width of a tape's base line, at least `tape_aspect` times its height.
        tape_contrast: detail of a row of the tape, relative to the same row beside it.
        tape_depth: largest height of a tape, share of its width.
    """

    max_liveliness: float = 0.6
    max_area_share: float = 0.08
    min_fill: float = 0.7
    min_inside: float = 0.6
    reach: int = 4
    min_tape: int = 100
    tape_aspect: float = 20.0
    tape_contrast: float = 1.1
    tape_depth: float = 0.12

    def __post_init__(self) -> None:
        shares = (self.max_liveliness, self.max_area_share, self.min_fill, self.min_inside, self.tape_depth)
        if not all(0 < share < 1 for share in shares) or self.reach < 0 or self.tape_contrast <= 1:
            raise ValueError(f"PlateConfig needs shares between 0 and 1, reach >= 0 and tape_contrast > 1: {self}")


@dataclass(frozen=True)
class Plates:
    """`labels`: int32 (h, w), 0 = none, already grown by the reach; `boxes`: x0, y0, x1, y1 of label 1, 2, ..."""

    labels: np.ndarray
    boxes: tuple[Box, ...]

    def under(self, ys: np.ndarray, xs: np.ndarray, min_inside: float) -> int:
        """Label of the plate that holds at least this share of the pixels, else 0."""
        counts = np.bincount(self.labels[ys, xs], minlength=1)
        counts[0] = 0
        best = int(np.argmax(counts))
        return best if counts[best] >= min_inside * len(ys) else 0


def find_plates(liveliness: np.ndarray, config: PlateConfig) -> Plates:
    """Compact calm areas in float32 (h, w) liveliness."""
    height, width = liveliness.shape
    calm = (liveliness < config.max_liveliness).astype(np.uint8)
    calm = cv2.morphologyEx(calm, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    outlines, _ = cv2.findContours(calm, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    labels = np.zeros((height, width), np.int32)
    boxes: list[Box] = []
    for outline in sorted(outlines, key=lambda points: cv2.boundingRect(points)):
        x, y, w, h = cv2.boundingRect(outline)
        if w * h > config.max_area_share * width * height or min(w, h) < 2 * config.reach:
            continue
        filled = np.zeros((h, w), np.uint8)
        cv2.drawContours(filled, [outline], 0, 1, cv2.FILLED, offset=(-x, -y))
        if filled.mean() < config.min_fill:
            continue
        boxes.append((x, y, x + w, y + h))
        r = config.reach
        labels[max(0, y - r) : y + h + r, max(0, x - r) : x + w + r] = len(boxes)
    return Plates(labels, tuple(boxes))


def grow_tape(box: Box, busyness: np.ndarray, config: PlateConfig) -> Box:
    """The box of a long thin line, grown up or down over the rows that are busier than the ones beside it.

    Args:
        box: x0, y0, x1, y1.
        busyness: float32 (h, w) of `EdgeStack.busyness`.
    """
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if width < config.min_tape or width < config.tape_aspect * height:
        return box
    side = width // 3
    inside = busyness[:, x0:x1].mean(axis=1)
    beside = np.concatenate([busyness[:, max(0, x0 - side) : x0], busyness[:, x1 : x1 + side]], axis=1)
    if beside.shape[1] < side:
        return box
    contrast = inside / np.maximum(beside.mean(axis=1), 1e-3)
    deep = max(1, int(config.tape_depth * width))
    return (
        x0,
        y0 - _run(contrast[max(0, y0 - deep) : y0][::-1], config),
        x1,
        y1 + _run(contrast[y1 : y1 + deep], config),
    )


def _run(contrast: np.ndarray, config: PlateConfig) -> int:
    """Number of rows up to the last busy one, before two in a row are not."""
    last = idle = 0
    for index, value in enumerate(contrast, 1):
        idle = 0 if value > config.tape_contrast else idle + 1
        if idle > 2:
            break
        last = index if idle == 0 else last
    return last
