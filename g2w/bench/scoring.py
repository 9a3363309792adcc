"""From verdict rows to a table of scores: a value, its interval, and whether it may be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from g2w.bench.controls import CONTROLS, COPY_INPUT, check_controls
from g2w.bench.judge import Status
from g2w.bench.metrics import ELEMENT_METRICS, METRICS, UNITS, overall, ratio, tally_video
from g2w.bench.statistics import NUM_REPLICATES, bootstrap_interval, cluster_weights, compare, resampled_ratio

ALL_SUITES = "all"
_DIGITS = 4
_BOUNDED = {*ELEMENT_METRICS, "bg"}

SCORES = pa.schema(
    [
        ("score_id", pa.string()),
        ("suite", pa.string()),
        ("system", pa.string()),
        ("metric", pa.string()),
        ("cls", pa.string()),
        ("versus", pa.string()),
        ("value", pa.float64()),
        ("unit", pa.string()),
        ("n", pa.int64()),
        ("lo", pa.float64()),
        ("hi", pa.float64()),
        ("p", pa.float64()),
        ("p_holm", pa.float64()),
        ("method", pa.string()),
        ("status", pa.string()),
    ]
)
"""Rows of bench/removal. `metric` is one of metrics.METRICS, `class_aar` (with `cls`), `psnr_gain` (over copying the
input), `overall` (suite "all"), or `aar_difference` (system minus `versus`, with p and Holm's p)."""

Row = dict[str, Any]


def score(verdicts: Iterable[Mapping[str, Any]], *, seed: int = 0, replicates: int = NUM_REPLICATES) -> list[Row]:
    """All scores of all systems in all suites.

    A system with any error in a suite is `incomplete` there: AAR, UI, Clean and BG are bounds (errors as 0 and as 1),
    and it takes no part in comparisons.

    Args:
        verdicts: rows of schema `VERDICTS`, in any order.
        seed, replicates: of the bootstrap.

    Returns:
        Rows of schema `SCORES` in order of `score_id`; values in percent unless `unit` says otherwise.
    """
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in verdicts:
        groups[row["suite"], row["system"], row["item_id"]].append(row)
    rows: list[Row] = []
    suites = sorted({suite for suite, _, _ in groups})
    tables: dict[str, dict[str, _SystemScores]] = {}
    for suite in suites:
        systems = sorted({system for other, system, _ in groups if other == suite})
        tables[suite] = {}
        for system in systems:
            videos = [groups[key] for key in sorted(groups) if key[:2] == (suite, system)]
            tables[suite][system] = _SystemScores(suite, system, videos, seed, replicates)
            rows += tables[suite][system].rows()
        rows += _gains(tables[suite]) + _differences(suite, tables[suite], seed)
    rows += _overall(tables)
    return sorted((_complete(row) for row in rows), key=lambda row: row["score_id"])


def controls_ok(scores: Iterable[Mapping[str, Any]]) -> bool:
    """Whether every negative control scored exactly what it must, in every suite; False if there is none."""
    checks = check_controls(scores)
    return bool(checks) and all(check["ok"] for check in checks)


class _SystemScores:
    """One system on one suite."""

    def __init__(
        self, suite: str, system: str, videos: Sequence[Sequence[Mapping[str, Any]]], seed: int, replicates: int
    ) -> None:
        self.suite, self.system = suite, system
        self.tallies = [tally_video(rows) for rows in videos]
        self.has_errors = any(row["status"] == Status.ERROR for rows in videos for row in rows)
        self._upper = [tally_video(rows, error_as=1.0) for rows in videos] if self.has_errors else self.tallies
        self.games = [tally.game for tally in self.tallies]
        self.weights = cluster_weights(self.games, replicates=replicates, seed=seed)

    def rows(self) -> list[Row]:
        """One row per metric that applies, and per class of element."""
        found = [self._row(metric, [tally.sums[metric] for tally in self.tallies]) for metric in METRICS]
        classes = sorted({cls for tally in self.tallies for cls in tally.classes})
        for cls in classes:
            row = self._row("class_aar", [tally.classes.get(cls, (0.0, 0.0)) for tally in self.tallies])
            if row is not None:
                boxes = sum(tally.classes.get(cls, (0.0, 0.0))[1] for tally in self.tallies)
                found.append({**row, "cls": cls, "n": int(boxes)})
        return [row for row in found if row is not None]

    def _row(self, metric: str, pairs: Sequence[tuple[float, float]]) -> Row | None:
        num, den = [p[0] for p in pairs], [p[1] for p in pairs]
        if sum(den) <= 0:
            return None
        row = {
            "suite": self.suite,
            "system": self.system,
            "metric": metric,
            "unit": UNITS.get(metric, "%"),
            "value": sum(num) / sum(den),
            "n": sum(d > 0 for d in den),
            "status": "complete",
        }
        if self.has_errors:
            high = ratio(self._upper, metric) if metric in _BOUNDED else None
            return {
                **row,
                "status": "incomplete",
                "method": "bounds" if high is not None else "none",
                "lo": row["value"],
                "hi": high if high is not None else row["value"],
            }
        interval = bootstrap_interval(num, den, self.games, self.weights)
        return {**row, "lo": interval.low, "hi": interval.high, "method": f"cluster-{interval.method}"}

    def samples(self, metric: str) -> np.ndarray | None:
        """Value of a macro metric in every replicate."""
        pairs = np.array([tally.sums[metric] for tally in self.tallies])
        return resampled_ratio(pairs[:, 0], pairs[:, 1], self.weights) if pairs[:, 1].sum() else None


def _gains(table: Mapping[str, _SystemScores]) -> list[Row]:
    """How many dB nearer to the truth than the input, inside the removed regions, on the same videos."""
    base = table.get(COPY_INPUT)
    if base is None or base.has_errors:
        return []
    before = {tally.item_id: tally for tally in base.tallies}
    rows = []
    for system, scores in table.items():
        pairs = [(t, before[t.item_id]) for t in scores.tallies if t.item_id in before]
        usable = [(a, b) for a, b in pairs if a.sums["psnr_inside"][1] and b.sums["psnr_inside"][1]]
        if not usable or scores.has_errors or system == COPY_INPUT:
            continue
        gains = [a.sums["psnr_inside"][0] - b.sums["psnr_inside"][0] for a, b in usable]
        games = [a.game for a, _ in usable]
        weights = cluster_weights(games, replicates=len(scores.weights))
        interval = bootstrap_interval(gains, [1.0] * len(gains), games, weights)
        rows.append(
            {
                "suite": scores.suite,
                "system": system,
                "metric": "psnr_gain",
                "unit": "dB",
                "value": float(np.mean(gains)),
                "n": len(gains),
                "lo": interval.low,
                "hi": interval.high,
                "method": f"paired-{interval.method}",
                "status": "complete",
            }
        )
    return rows


def _differences(suite: str, table: Mapping[str, _SystemScores], seed: int) -> list[Row]:
    """AAR of every pair of real systems on the same videos. Controls are no rivals: they stay out of the family."""
    rivals = {name: s for name, s in table.items() if name not in CONTROLS and not s.has_errors}
    if len(rivals) < 2:
        return []
    shared = set.intersection(*({t.item_id for t in s.tallies if t.sums["aar"][1]} for s in rivals.values()))
    if not shared:
        return []
    values: dict[str, Sequence[float]] = {
        name: [t.sums["aar"][0] for t in s.tallies if t.item_id in shared] for name, s in rivals.items()
    }
    some = next(iter(rivals.values()))
    games = [t.game for t in some.tallies if t.item_id in shared]
    weights = cluster_weights(games, replicates=len(some.weights), seed=seed)
    return [
        {
            "suite": suite,
            "system": c.first,
            "versus": c.second,
            "metric": "aar_difference",
            "unit": "%",
            "value": c.difference,
            "n": c.num_videos,
            "lo": c.low,
            "hi": c.high,
            "p": c.p,
            "p_holm": c.p_holm,
            "method": "paired-sign-flip-holm",
            "status": "complete",
        }
        for c in compare(values, games, weights=weights, seed=seed)
    ]


def _overall(tables: Mapping[str, Mapping[str, _SystemScores]]) -> list[Row]:
    """(AAR + BG of one suite + AAR + BG of the other) / 4, where there are exactly two suites and both were judged."""
    if len(tables) != 2:
        return []
    (first, second), rows = [tables[name] for name in sorted(tables)], []
    for system in sorted(set(first) & set(second)):
        parts = [s.samples(m) for s in (first[system], second[system]) for m in ("aar", "bg")]
        found = [ratio(s.tallies, m) for s in (first[system], second[system]) for m in ("aar", "bg")]
        values = [value for value in found if value is not None]
        if len(values) < 4 or first[system].has_errors or second[system].has_errors:
            continue
        length = min(len(part) for part in parts if part is not None)
        # The suites are independent draws, so replicate i of one goes with any replicate of the other.
        samples = sum(part[:length] for part in parts if part is not None) / 4
        low, high = np.quantile(samples, [0.025, 0.975])
        n = len(first[system].tallies) + len(second[system].tallies)
        rows.append(
            {
                "suite": ALL_SUITES,
                "system": system,
                "metric": "overall",
                "unit": "%",
                "value": overall(values[0], values[1], values[2], values[3]),
                "n": n,
                "lo": float(low),
                "hi": float(high),
                "method": "cluster-percentile",
                "status": "complete",
            }
        )
    return rows


def _complete(row: Row) -> Row:
    parts = [row["suite"], row["system"], row["metric"], row.get("cls") or row.get("versus")]
    numbers = {
        name: round(float(row[name]), _DIGITS)
        for name in ("value", "lo", "hi", "p", "p_holm")
        if row.get(name) is not None
    }
    score_id = "/".join(part for part in parts if part)
    return {**dict.fromkeys(SCORES.names), **row, **numbers, "score_id": score_id}
