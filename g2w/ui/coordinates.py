"""How models write boxes: thousandths of the picture, its pixels, or shares of it. Mixed up, they look plausible.

Qwen2-VL and Qwen3-VL answer in 0..1000 relative to the picture, Qwen2.5-VL in pixels of the picture as its processor
resized it (to multiples of 28), as the maintainers say in QwenLM/Qwen3-VL issues 866 and 1486. Pictures are therefore sent
at 1288x728: nothing is resized again, so that "pixels" has one meaning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.detector import DetectReason

SENT_SIZE = (1288, 728)
"""Width and height of the picture a model sees: 1280x720 rounded to multiples of 28."""
TOLERANCE = 0.01
"""Share of the picture by which a corner may lie outside and is cut back; more is an error."""
MIN_SIDE_PX = 4
MAX_AREA_SHARE = 0.6
"""Full-screen menus are no elements: they are filtered as clips."""

Corners = tuple[float, float, float, float]


class Coordinates(StrEnum):
    """Unit of a box (x1, y1, x2, y2)."""

    PER_MILLE = "per_mille"
    PIXEL = "pixel"
    UNIT = "unit"

    @property
    def limits(self) -> tuple[float, float]:
        """Largest x and y."""
        if self is Coordinates.PIXEL:
            return float(SENT_SIZE[0]), float(SENT_SIZE[1])
        return (1000.0, 1000.0) if self is Coordinates.PER_MILLE else (1.0, 1.0)

    @property
    def words(self) -> str:
        """How the prompt asks for it."""
        if self is Coordinates.PIXEL:
            return f"integer pixels of the picture, which is {SENT_SIZE[0]} wide and {SENT_SIZE[1]} high"
        if self is Coordinates.PER_MILLE:
            return "integers from 0 to 1000, relative to the width (x) and the height (y) of the picture"
        return "decimal shares from 0 to 1 of the width (x) and the height (y) of the picture"


def convention_of(model: str) -> Coordinates:
    """The unit a model was trained to answer in, by its id; thousandths where nothing is known, as the prompt asks."""
    name = model.lower().replace("_", "-")
    return Coordinates.PIXEL if "qwen2.5-vl" in name or "qwen2-5-vl" in name else Coordinates.PER_MILLE


def is_other_convention(boxes: Sequence[Corners], unit: Coordinates) -> bool:
    """True if the boxes of one reply together betray another unit: then none of them can be trusted, not even those
    that fit (a box on the left fits 0..1000 in pixels too)."""
    finite = [box for box in boxes if all(map(math.isfinite, box))]
    if not finite:
        return False
    most_x, most_y = max(max(b[0], b[2]) for b in finite), max(max(b[1], b[3]) for b in finite)
    if unit is Coordinates.UNIT:
        return most_x > 2 or most_y > 2
    if most_x <= 1 and most_y <= 1:
        return True
    width, height = SENT_SIZE
    if unit is Coordinates.PER_MILLE:
        return 1000 * (1 + TOLERANCE) < most_x <= width and most_y <= height
    return height * (1 + TOLERANCE) < most_y <= 1000 and most_x <= 1000


def to_pixels(box: Corners, unit: Coordinates) -> tuple[int, int, int, int] | DetectReason:
    """Corners in `unit` as x, y, w, h in pixels of 1280x720, or the reason why they are no box."""
    if not all(map(math.isfinite, box)):
        return DetectReason.BAD_ELEMENT
    limits = unit.limits * 2
    shares = [value / limit for value, limit in zip(box, limits, strict=True)]
    if any(share < -TOLERANCE or share > 1 + TOLERANCE for share in shares):
        return DetectReason.BOX_OUT_OF_RANGE
    x0, y0, x1, y1 = (min(1.0, max(0.0, share)) for share in shares)
    if x1 < x0 or y1 < y0:
        return DetectReason.BOX_INVERTED
    left, top, right, bottom = round(x0 * WIDTH), round(y0 * HEIGHT), round(x1 * WIDTH), round(y1 * HEIGHT)
    if right - left < MIN_SIDE_PX or bottom - top < MIN_SIDE_PX:
        return DetectReason.BOX_TOO_SMALL
    if (right - left) * (bottom - top) > MAX_AREA_SHARE * WIDTH * HEIGHT:
        return DetectReason.BOX_TOO_LARGE
    return left, top, right - left, bottom - top
