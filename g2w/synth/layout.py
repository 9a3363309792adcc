"""Where elements go: zones of the screen, recorded positions, collisions. Pixels of the 1280x720 screen throughout."""

from __future__ import annotations

import random
from dataclasses import dataclass

from g2w.ui.taxonomy import UIClass

WIDTH, HEIGHT = 1280, 720
# zone: (horizontal, vertical) share of the free way from the left / top margin
ZONE_ANCHORS = {
    "TL": (0.0, 0.0),
    "TC": (0.5, 0.0),
    "TR": (1.0, 0.0),
    "L": (0.0, 0.5),
    "C": (0.5, 0.5),
    "R": (1.0, 0.5),
    "BL": (0.0, 1.0),
    "BC": (0.5, 1.0),
    "BR": (1.0, 1.0),
}
_BORDER = ("TL", "TR", "BL", "BR", "TC", "BC", "L", "R")
_SLIDE_PX = 12
_CENTERED = frozenset({"crosshair"})
# a hit marker belongs on the reticle
_MAY_COVER = frozenset({("damage_feedback", "crosshair"), ("crosshair", "damage_feedback")})


@dataclass(frozen=True)
class Placed:
    """Box of an element and the frames start..stop-1 in which it is on screen."""

    cls: str
    x: int
    y: int
    w: int
    h: int
    start: int
    stop: int


def overlap_share(a: Placed, b: Placed) -> float:
    """Shared area divided by the smaller of the two areas (0..1)."""
    w = min(a.x + a.w, b.x + b.w) - max(a.x, b.x)
    h = min(a.y + a.h, b.y + b.h) - max(a.y, b.y)
    return w * h / min(a.w * a.h, b.w * b.h) if w > 0 and h > 0 else 0.0


def collides(box: Placed, others: list[Placed], threshold: float) -> bool:
    """Whether `box` covers more than `threshold` of the smaller of itself and any element shown at the same time."""
    for other in others:
        if box.start < other.stop and other.start < box.stop and (box.cls, other.cls) not in _MAY_COVER:
            w = min(box.x + box.w, other.x + other.w) - max(box.x, other.x)
            h = min(box.y + box.h, other.y + other.h) - max(box.y, other.y)
            if w > 0 and h > 0 and w * h > threshold * min(box.w * box.h, other.w * other.h):
                return True
    return False


def zone_position(rng: random.Random, cls: str, zone: str, w: int, h: int, margin: int, jitter: int) -> tuple[int, int]:
    """Top left corner of a w x h box in a zone, with jitter of up to `jitter` pixels, inside the screen."""
    ax, ay = ZONE_ANCHORS[zone]
    if cls in _CENTERED:
        return (WIDTH - w) // 2, (HEIGHT - h) // 2
    # rounded before the jitter: rounding half pixels to even afterwards would favor some places
    x = round(margin + ax * (WIDTH - 2 * margin - w)) + rng.randint(-jitter, jitter)
    y = round(margin + ay * (HEIGHT - 2 * margin - h)) + rng.randint(-jitter, jitter)
    if zone == "C":  # pop-ups of the middle stand beside the reticle, above or below
        x, y = x + rng.randint(-60, 60), y + rng.choice((-1, 1)) * rng.randint(0, 110)
    elif zone in ("L", "R"):
        y += rng.randint(-90, 90)
    elif zone == "BC" and cls == "subtitle":
        y -= rng.randint(30, 90)
    elif zone == "TC" and cls == "screen_notice":
        y += rng.randint(0, 120)
    return max(0, min(WIDTH - w, x)), max(0, min(HEIGHT - h, y))


def place(
    rng: random.Random,
    ui_class: UIClass,
    box: Placed,
    others: list[Placed],
    *,
    recorded: tuple[int, int] | None,
    margin: int,
    jitter: int,
    threshold: float,
    exact: bool = False,
) -> tuple[Placed, str, str] | None:
    """Find a free place for `box` (its x, y are ignored); `exact` takes the recorded position without jitter.

    Returns the placed box, how it was placed (`recorded`, `zone` or `moved`) and the zone ("" when recorded), or None
    if the screen is full there. Order: recorded position, the sampled zone, the class's other zones, then sliding.
    """
    zones = list(ui_class.zones)
    first = zones.pop(min(len(zones) - 1, int(rng.random() ** 1.5 * len(zones))))
    if recorded is not None:
        about = 0 if exact else jitter
        x = max(0, min(WIDTH - box.w, recorded[0] + rng.randint(-about, about)))
        y = max(0, min(HEIGHT - box.h, recorded[1] + rng.randint(-about, about)))
        spot = _at(box, x, y)
        if not collides(spot, others, threshold):
            return spot, "recorded", ""
    corners: list[tuple[str, int, int]] = []
    for zone in (first, first, *zones):
        x, y = zone_position(rng, box.cls, zone, box.w, box.h, margin, jitter)
        spot = _at(box, x, y)
        if not collides(spot, others, threshold):
            return spot, "zone" if zone == first else "moved", zone
        corners.append((zone, x, y))
    for zone in _BORDER:
        if zone not in ui_class.zones:
            corners.append((zone, *zone_position(rng, box.cls, zone, box.w, box.h, margin, jitter)))
    for zone, x, y in corners:
        found = _slide(box, zone, x, y, others, threshold)
        if found is not None:
            return found, "moved", zone
    return None


def _at(box: Placed, x: int, y: int) -> Placed:
    return Placed(box.cls, x, y, box.w, box.h, box.start, box.stop)


def _slide(box: Placed, zone: str, x: int, y: int, others: list[Placed], threshold: float) -> Placed | None:
    """Move inward step by step: vertically from the corners and edges, sideways from top and bottom center."""
    vertical = 1 if ZONE_ANCHORS[zone][1] < 0.5 else -1
    for step in range(1, 28):
        spot = _at(box, x, y + vertical * step * _SLIDE_PX)
        if 0 <= spot.y <= HEIGHT - box.h and not collides(spot, others, threshold):
            return spot
    return None
