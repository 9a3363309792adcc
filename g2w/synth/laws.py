"""Is a recipe table what the specification asks for? p-values by name, for any number of rows (evals.md 1.4).

Counts and class shares are read before collisions (elements that found no place are in the look), on rows that are no
controls. Places, durations and animations are those of a table planned without collisions (`overlap_threshold` 1), which
would select among them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from g2w.synth.config import MIN_POPUP_FRAMES, SynthConfig
from g2w.synth.effects import padding
from g2w.synth.layout import HEIGHT, WIDTH, ZONE_ANCHORS
from g2w.ui.taxonomy import UIClass, load_taxonomy

Row = Mapping[str, Any]
PValues = dict[str, float]
TAXONOMY = load_taxonomy()
# Zones in which nothing but margin and jitter moves an element: the corners, and the centers of top and bottom edge.
_FIRM = ("TL", "TR", "BL", "BR", "TC", "BC")
_LOOSE = {("subtitle", "BC"), ("screen_notice", "TC")}


def counts(rows: Sequence[Row]) -> list[Counter[str]]:
    """Elements wanted by class, for each row that is no control."""
    return [
        Counter([*(e["cls"] for e in json.loads(row["elements"])), *json.loads(row["look"])["dropped"]])
        for row in rows
        if not row["is_control"]
    ]


def count_laws(rows: Sequence[Row]) -> PValues:
    """Class probabilities, the pop-up count law, and both means (z tests)."""
    table, out = counts(rows), {}
    for item in TAXONOMY.persistent:
        hits = sum(count[item.name] > 0 for count in table)
        out[f"probability of {item.name}"] = float(stats.binomtest(hits, len(table), item.probability).pvalue)
    popups = {item.name for item in TAXONOMY.popups}
    numbers = [sum(n for name, n in count.items() if name in popups) for count in table]
    law = np.array(TAXONOMY.popup_count_law)
    seen = np.bincount(numbers, minlength=len(law))
    out["pop-up count law"] = float(stats.chisquare(seen, law * len(table)).pvalue)
    lasting = [sum(n for name, n in count.items() if name not in popups) for count in table]
    variance = sum(item.probability * (1 - item.probability) for item in TAXONOMY.persistent)
    spread = float((law * np.arange(len(law)) ** 2).sum() - 1.5**2)
    for name, values, mean, var in (("4.00", lasting, 4.0, variance), ("1.50", numbers, 1.5, spread)):
        z = (np.mean(values) - mean) / math.sqrt(var / len(table))
        out[f"mean {name}"] = float(2 * stats.norm.sf(abs(z)))
    return out


def share_law(rows: Sequence[Row]) -> PValues:
    """Shares of the classes among single pop-ups; in clips with more, the maximum of each class bends them."""
    table = counts(rows)
    popups = [item.name for item in TAXONOMY.popups]
    singles = Counter(name for count in table for name in popups if sum(count[p] for p in popups) == 1 and count[name])
    total = sum(singles.values())
    seen = [singles[name] for name in popups]
    return {
        "pop-up shares": float(stats.chisquare(seen, [item.popup_share * total for item in TAXONOMY.popups]).pvalue)
    }


def duration_laws(rows: Sequence[Row], config: SynthConfig) -> PValues:
    """Lengths of each pop-up class in ten classes of equal expectation of the rounded, cut log-normal."""
    lengths: dict[str, list[int]] = {item.name: [] for item in TAXONOMY.popups}
    for element in _elements(rows):
        if element["cls"] in lengths:
            lengths[element["cls"]].append(element["stop"] - element["start"])
    return {f"duration of {name}": _length_law(TAXONOMY[name], found, config) for name, found in lengths.items()}


def _length_law(item: UIClass, found: list[int], config: SynthConfig) -> float:
    longest = min(config.num_frames, round(item.duration_max_s * config.fps))
    law = stats.lognorm(s=config.popup_sigma, scale=item.duration_median_s * config.fps)
    lengths = np.arange(MIN_POPUP_FRAMES, longest + 1)
    upper = law.cdf(lengths + 0.5)
    upper[-1] = 1.0
    mass = np.diff(upper, prepend=0.0)
    group = np.minimum((np.cumsum(mass) - mass / 2) * 10, 9).astype(int)
    expected = np.bincount(group, mass, minlength=10) * len(found)
    seen = np.bincount(group[np.array(found) - MIN_POPUP_FRAMES], minlength=10)
    used = expected > 0
    return float(stats.chisquare(seen[used], expected[used]).pvalue)


def animation_laws(rows: Sequence[Row]) -> PValues:
    """Animations of each pop-up class against their weights."""
    seen: dict[str, Counter[str]] = {item.name: Counter() for item in TAXONOMY.popups}
    for element in _elements(rows):
        if element["cls"] in seen:
            seen[element["cls"]][element["animation"]] += 1
    out = {}
    for item in TAXONOMY.popups:
        total, weight = sum(seen[item.name].values()), sum(w for _, w in item.animations)
        expected = [total * w / weight for _, w in item.animations]
        found = [seen[item.name][name] for name, _ in item.animations]
        out[f"animation of {item.name}"] = _chi_square(found, expected)
    return out


def zone_laws(rows: Sequence[Row]) -> PValues:
    """Zones of zone-sampled elements by class: the k-th of n zones holds ((k + 1) / n)^(2/3) - (k / n)^(2/3)."""
    seen: dict[str, Counter[str]] = {item.name: Counter() for item in TAXONOMY.classes}
    for element in _elements(rows):
        if element["placed"] == "zone":
            seen[element["cls"]][element["zone"]] += 1
    out = {}
    for item in TAXONOMY.classes:
        n, total = len(item.zones), sum(seen[item.name].values())
        if n > 1:
            expected = [total * (((k + 1) / n) ** (2 / 3) - (k / n) ** (2 / 3)) for k in range(n)]
            out[f"zone of {item.name}"] = _chi_square([seen[item.name][zone] for zone in item.zones], expected)
    return out


def position_laws(rows: Sequence[Row], config: SynthConfig) -> PValues:
    """Distance of zone-sampled elements from the place that zone and margin give them: even over the jitter."""
    away: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        look = json.loads(row["look"])
        for e in json.loads(row["elements"]):
            if e["placed"] == "zone" and e["zone"] in _FIRM and (e["cls"], e["zone"]) not in _LOOSE and "path" not in e:
                pad, (ax, ay) = padding(e.get("effects", {})), ZONE_ANCHORS[e["zone"]]
                x, y = e["x"] - pad, e["y"] - pad
                w, h = e["w"] + 2 * pad, e["h"] + 2 * pad
                left = round(look["margin"] + ax * (WIDTH - 2 * look["margin"] - w))
                top = round(look["margin"] + ay * (HEIGHT - 2 * look["margin"] - h))
                away.setdefault(e["cls"], []).append((x - left, y - top))
    out, size = {}, 2 * config.jitter_px + 1
    for cls, offsets in sorted(away.items()):
        for axis, name in enumerate("xy"):
            values = np.array([offset[axis] for offset in offsets])
            out[f"{name} of {cls}"] = _even(values, config.jitter_px, size)
    return out


def _even(values: np.ndarray, jitter: int, size: int) -> float:
    if np.abs(values).max() > jitter:
        return 0.0
    return float(stats.chisquare(np.bincount(values + jitter, minlength=size)).pvalue)


def _chi_square(found: Sequence[float], expected: Sequence[float]) -> float:
    """0 where something was found outside the classes that the law knows (the sums then differ)."""
    if abs(sum(found) - sum(expected)) > 1e-6 * max(1.0, sum(expected)):
        return 0.0
    return float(stats.chisquare(found, expected).pvalue)


def _elements(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [element for row in rows for element in json.loads(row["elements"])]
