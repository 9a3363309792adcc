from __future__ import annotations

import numpy as np

from models.world.intervals import bootstrap_mean, bootstrap_ratio


def test_an_interval_holds_the_mean_and_is_repeatable() -> None:
    values = np.random.default_rng(0).normal(5.0, 1.0, 200)
    low, high = bootstrap_mean(values, seed=1)
    assert low < values.mean() < high and 0.2 < high - low < 0.4
    assert (low, high) == bootstrap_mean(values, seed=1)


def test_windows_of_one_clip_are_one_piece_of_evidence() -> None:
    """Ten copies of each value add nothing: the interval must stay that of the four clips."""
    values, names = np.array([1.0, 2.0, 3.0, 4.0]), np.array(list("abcd"))
    few = bootstrap_mean(values, groups=list(names))
    many = bootstrap_mean(np.repeat(values, 10), groups=list(np.repeat(names, 10)))
    alone = bootstrap_mean(np.repeat(values, 10))
    assert np.allclose(few, many)
    assert alone[1] - alone[0] < 0.5 * (many[1] - many[0])


def test_a_ratio_is_paired() -> None:
    """Both arms move together from clip to clip: the ratio does not move at all."""
    base = np.random.default_rng(0).uniform(1, 100, 50)
    assert np.allclose(bootstrap_ratio(0.4 * base, base), (0.4, 0.4))


def test_one_group_has_no_interval() -> None:
    assert all(np.isnan(bootstrap_mean(np.array([1.0, 2.0]), groups=["a", "a"])))
