"""Paired bootstrap of a mean or a ratio of means: the same resamples for both arms, whole clips at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

NUM_REPLICATES = 2000


def bootstrap_mean(values: np.ndarray, *, groups: Sequence[str] | None = None, seed: int = 0) -> tuple[float, float]:
    """95 % percentile interval of the mean of `values` (n,); see `bootstrap_ratio` for `groups`."""
    return bootstrap_ratio(values, np.ones_like(values), groups=groups, seed=seed)


def bootstrap_ratio(
    numerator: np.ndarray, denominator: np.ndarray, *, groups: Sequence[str] | None = None, seed: int = 0
) -> tuple[float, float]:
    """95 % percentile interval of sum(numerator) / sum(denominator), resampling pairs (n,).

    `groups` (n,) names the clip of each pair. Windows of one clip share its scenery and are no independent evidence, so
    clips are drawn, with all their windows. One group alone has no spread to show: both ends are NaN then.
    """
    names = np.arange(len(numerator)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    count = int(names.max()) + 1
    if count < 2:
        return float("nan"), float("nan")
    above, below = (np.bincount(names, weights=part.astype(np.float64)) for part in (numerator, denominator))
    chosen = np.random.default_rng(seed).integers(0, count, (NUM_REPLICATES, count))
    ratios = above[chosen].sum(axis=1) / np.maximum(below[chosen].sum(axis=1), 1e-12)
    low, high = np.percentile(ratios, [2.5, 97.5])
    return float(low), float(high)
