"""How sure a score is: cluster bootstrap (game, then video), paired comparisons, ties (evals.md 7.2)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

NUM_REPLICATES = 10_000
CONFIDENCE = 0.95
EXACT_LIMIT = 16
NUM_FLIPS = 100_000


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    method: str


def cluster_weights(games: Sequence[str], *, replicates: int = NUM_REPLICATES, seed: int = 0) -> np.ndarray:
    """How often each video is drawn in each replicate: games with replacement, then videos inside each drawn game.

    Args:
        games: the game of every video.
        replicates: number of resamples.
        seed: stored with the score.

    Returns:
        int64 (replicates, num_videos). The same games give the same weights, so that systems can be compared in pairs.
    """
    if not len(games) or replicates < 1:
        raise ValueError(f"a bootstrap needs videos and replicates, got {len(games)} and {replicates}")
    # Drawing in an order that the names decide makes the result independent of the order of the rows.
    names = sorted(set(games))
    rng = np.random.default_rng([seed, zlib.crc32("\0".join(sorted(games)).encode())])
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=replicates)
    weights = np.zeros((replicates, len(games)), np.int64)
    for column, name in enumerate(names):
        members = [i for i, game in enumerate(games) if game == name]
        weights[:, members] = rng.multinomial(drawn[:, column] * len(members), np.full(len(members), 1 / len(members)))
    return weights


def resampled_ratio(numerators: np.ndarray, denominators: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """sum(w num) / sum(w den) per replicate, float64; replicates without any denominator are left out."""
    total = weights @ denominators
    kept = total > 0
    return (weights @ numerators)[kept] / total[kept]


def bootstrap_interval(
    numerators: Sequence[float] | np.ndarray,
    denominators: Sequence[float] | np.ndarray,
    games: Sequence[str],
    weights: np.ndarray,
    *,
    method: str = "bca",
) -> Interval:
    """Interval of sum(num) / sum(den) over videos.

    Args:
        numerators, denominators: sums of every video (see `metrics.Tally`).
        games: their games.
        weights: from `cluster_weights`.
        method: "bca" (bias corrected and accelerated, jackknife over games) or "percentile".

    Raises:
        ValueError: if no video has a denominator, or for another method.
    """
    num, den = np.asarray(numerators, float), np.asarray(denominators, float)
    if den.sum() <= 0:
        raise ValueError("no video counts for this metric: there is nothing to resample")
    if method not in ("bca", "percentile"):
        raise ValueError(f"method must be bca or percentile, got {method!r}")
    samples = resampled_ratio(num, den, weights)
    estimate = num.sum() / den.sum()
    tails = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    # A statistic that no resample can move (a control at 0 or 100) has no spread to correct.
    if np.ptp(samples) < 1e-12:
        return Interval(float(estimate), float(estimate), "constant")
    if method == "bca":
        corrected = _bca_levels(samples, estimate, _jackknife(num, den, games), tails)
        if corrected is None:
            method = "percentile"
        else:
            tails = corrected
    low, high = np.quantile(samples, tails)
    return Interval(float(low), float(high), method)


def _jackknife(num: np.ndarray, den: np.ndarray, games: Sequence[str]) -> np.ndarray:
    """The statistic without each game in turn; without each video where there is only one game."""
    names = np.asarray(games) if len(set(games)) > 1 else np.arange(len(num)).astype(str)
    total_num, total_den = num.sum(), den.sum()
    left_out = []
    for name in sorted(set(names)):
        inside = names == name
        rest = total_den - den[inside].sum()
        if rest > 0:
            left_out.append((total_num - num[inside].sum()) / rest)
    return np.array(left_out)


def _bca_levels(samples: np.ndarray, estimate: float, jackknife: np.ndarray, tails: np.ndarray) -> np.ndarray | None:
    """Corrected quantile levels (Efron 1987); None if the estimate lies outside its own resamples."""
    below = (np.sum(samples < estimate) + 0.5 * np.sum(samples == estimate)) / len(samples)
    if not 0 < below < 1 or len(jackknife) < 2:
        return None
    z0 = norm.ppf(below)
    centered = jackknife.mean() - jackknife
    spread = np.sum(centered**2)
    acceleration = np.sum(centered**3) / (6 * spread**1.5) if spread > 0 else 0.0
    z = z0 + norm.ppf(tails)
    room = 1 - acceleration * z
    if np.any(room <= 0):
        return None
    return norm.cdf(z0 + z / room)


@dataclass(frozen=True)
class Comparison:
    """System `first` minus system `second` on the same videos."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    num_videos: int

    @property
    def is_distinguishable(self) -> bool:
        """Whether the difference survives the correction for the whole family of comparisons."""
        return self.p_holm < 1 - CONFIDENCE


def sign_flip_p(differences: Sequence[float], *, seed: int = 0) -> float:
    """Two-sided p of mean 0 when every video's difference could as well have had the other sign.

    All 2^n signs up to n = 16, else 100,000 drawn ones (with the observed one counted).
    """
    values = np.asarray(differences, float)
    values = values[values != 0]
    if not len(values):
        return 1.0
    observed = abs(values.sum()) - 1e-9
    if len(values) <= EXACT_LIMIT:
        bits = (np.arange(2 ** len(values))[:, None] >> np.arange(len(values))) & 1
        return float(np.mean(np.abs((2 * bits - 1) @ values) >= observed))
    rng = np.random.default_rng([seed, len(values)])
    signs = rng.integers(0, 2, (NUM_FLIPS, len(values)), np.int8) * 2 - 1
    return float((1 + np.sum(np.abs(signs @ values) >= observed)) / (1 + NUM_FLIPS))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction; values in the order given."""
    order = np.argsort(p_values, kind="stable")
    corrected, running = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = running
    return corrected


def compare(
    values: Mapping[str, Sequence[float]], games: Sequence[str], *, weights: np.ndarray, seed: int = 0
) -> list[Comparison]:
    """Every pair of systems on the same videos, best system first in each pair.

    Args:
        values: system -> value per video (macro metric), in the order of `games`.
        games: the game of every video.
        weights: from `cluster_weights`; shared, so that both systems see the same resamples.
        seed: for drawn sign flips.
    """
    systems = sorted(values, key=lambda name: (-float(np.mean(values[name])), name))
    pairs = [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    differences = [np.asarray(values[a], float) - np.asarray(values[b], float) for a, b in pairs]
    raw = [sign_flip_p(d, seed=seed) for d in differences]
    rows = []
    for (first, second), d, p, corrected in zip(pairs, differences, raw, holm(raw), strict=True):
        interval = bootstrap_interval(d, np.ones(len(d)), games, weights)
        rows.append(Comparison(first, second, float(d.mean()), interval.low, interval.high, p, corrected, len(d)))
    return rows


def tie_groups(systems: Sequence[str], comparisons: Sequence[Comparison]) -> list[list[str]]:
    """Groups of systems (given best first) in which no two can be told apart; a system may be in several."""
    apart = {frozenset((c.first, c.second)) for c in comparisons if c.is_distinguishable}
    groups: list[list[str]] = []
    for start in range(len(systems)):
        stop = start + 1
        while stop < len(systems) and all(
            frozenset((systems[stop], other)) not in apart for other in systems[start:stop]
        ):
            stop += 1
        group = list(systems[start:stop])
        if not any(set(group) <= set(known) for known in groups):
            groups.append(group)
    return groups
