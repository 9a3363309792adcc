"""What class may a box be? Naive Bayes on size, shape, place and text, learned from the taxonomy and our own drawings."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np

from g2w.synth.layout import HEIGHT, WIDTH, ZONE_ANCHORS
from g2w.ui.draw import Asset, draw_asset
from g2w.ui.taxonomy import load_taxonomy
from g2w.ui.textlike import text_share

_NUM_DRAWN = 6
_MIN_SIGMA = (0.4, 0.35, 0.25, 0.6)
_LEAST_TEXT = 0.02
_GRAY = 110.0
"""What drawings stand on while their text is looked for: the mean of a dark world."""
_ZONE_SHARE = 0.75


@lru_cache(maxsize=1)
def _shapes() -> dict[str, tuple[tuple[float, float], ...]]:
    """(mean, spread) of log width, log height, log aspect and log text share per class, from drawings of set a."""
    table = {}
    for cls in load_taxonomy().names:
        assets = [draw_asset(cls, "a", 0, k) for k in range(_NUM_DRAWN)]
        columns = zip(*(_features(asset.width, asset.height, _text_of(asset)) for asset in assets), strict=True)
        table[cls] = tuple(_moments(column, least) for column, least in zip(columns, _MIN_SIGMA, strict=True))
    return table


def _features(w: float, h: float, text: float | None) -> tuple[float, ...]:
    known = (math.log(w), math.log(h), math.log(w / h))
    return known if text is None else (*known, math.log(text + _LEAST_TEXT))


def _text_of(asset: Asset) -> float:
    """Text share of a drawing, at half size as the detector sees it."""
    rgba = asset.pixels[: asset.height].astype(np.float32)
    alpha = rgba[..., 3:] / 255
    gray = cv2.cvtColor(np.rint(rgba[..., :3] * alpha + _GRAY * (1 - alpha)).astype(np.uint8), cv2.COLOR_RGB2GRAY)
    size = (max(1, asset.width // 2), max(1, asset.height // 2))
    return text_share(cv2.resize(gray, size, interpolation=cv2.INTER_AREA))


def _moments(values: tuple[float, ...], least: float) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, max(least, math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)))


def zone_of(x: float, y: float, w: float, h: float) -> str:
    """Cell of the 3 x 3 grid in which the center of a box (1280x720 pixels) lies."""
    column = min(2, int((x + w / 2) / WIDTH * 3))
    row = min(2, int((y + h / 2) / HEIGHT * 3))
    names = {(round(2 * ax), round(2 * ay)): zone for zone, (ax, ay) in ZONE_ANCHORS.items()}
    return names[(column, row)]


def guess_class(
    x: float, y: float, w: float, h: float, *, transient: bool = False, text: float | None = None
) -> tuple[str, float]:
    """Most likely class of a box at 1280x720 and its posterior probability (0..1).

    `transient`: the element was seen during a part of the clip only, which points to pop-ups. `text`: share of the box
    that lines of text take (`g2w.ui.textlike`), None if nobody looked.
    """
    taxonomy, zone = load_taxonomy(), zone_of(x, y, w, h)
    centered = abs(x + w / 2 - WIDTH / 2) < 12 and abs(y + h / 2 - HEIGHT / 2) < 12
    scores = {}
    for item in taxonomy.classes:
        rate = (
            item.popup_share * sum(n * p for n, p in enumerate(taxonomy.popup_count_law))
            if item.is_popup
            else item.probability
        )
        score = math.log(rate) + math.log(0.8 if item.is_popup == transient else 0.2)
        share = _ZONE_SHARE / len(item.zones) if zone in item.zones else (1 - _ZONE_SHARE) / max(1, 9 - len(item.zones))
        score += math.log(share)
        if item.name == "crosshair" and centered and max(w, h) < 120:
            # a reticle stands in the very center, from a dot to a wide ring, and nowhere else
            scores[item.name] = score + 6.0
            continue
        for value, (mean, sigma) in zip(_features(w, h, text), _shapes()[item.name], strict=False):
            score -= 0.5 * ((value - mean) / sigma) ** 2 + math.log(sigma)
        if item.name == "crosshair" and not centered:
            score -= 12.0
        scores[item.name] = score
    best = max(scores, key=lambda name: scores[name])
    total = sum(math.exp(score - scores[best]) for score in scores.values())
    return best, 1 / total
