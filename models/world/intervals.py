"""Paired bootstrap of a mean over videos: the same resamples for both arms."""

from __future__ import annotations

import numpy as np

NUM_REPLICATES = 2000


def bootstrap_mean(values: np.ndarray, *, seed: int = 0) -> tuple[float, float]:
    """95 % percentile interval of the mean of `values` (n,)."""
    return bootstrap_ratio(values, np.ones_like(values), seed=seed)


def bootstrap_ratio(numerator: np.ndarray, denominator: np.ndarray, *, seed: int = 0) -> tuple[float, float]:
    """95 % percentile interval of mean(numerator) / mean(denominator), resampling pairs (n,)."""
    n = len(numerator)
    chosen = np.random.default_rng(seed).integers(0, n, (NUM_REPLICATES, n))
    ratios = numerator[chosen].mean(axis=1) / np.maximum(denominator[chosen].mean(axis=1), 1e-12)
    low, high = np.percentile(ratios, [2.5, 97.5])
    return float(low), float(high)
