"""Cluster bootstrap, sign flips, Holm and ties: against closed forms and textbook examples."""

from __future__ import annotations

import numpy as np
import pytest

from g2w.bench.statistics import (
    Comparison,
    bootstrap_interval,
    cluster_weights,
    compare,
    holm,
    sign_flip_p,
    tie_groups,
)


def test_games_are_drawn_first_and_videos_inside_them() -> None:
    games = ["a", "a", "a", "b"]
    weights = cluster_weights(games, replicates=4000, seed=1)
    assert weights.shape == (4000, 4)
    # Two games drawn with replacement: "b" is drawn 0, 1 or 2 times, and a drawn game brings as many videos as it has.
    drawn_b = weights[:, 3]
    assert set(drawn_b) == {0, 1, 2}
    assert np.array_equal(weights[:, :3].sum(axis=1), 3 * (2 - drawn_b))
    assert np.mean(drawn_b == 1) == pytest.approx(0.5, abs=0.03)


def test_same_games_give_same_weights() -> None:
    games = ["x", "y", "y"]
    assert np.array_equal(cluster_weights(games, seed=4, replicates=50), cluster_weights(games, seed=4, replicates=50))
    assert not np.array_equal(
        cluster_weights(games, seed=4, replicates=50), cluster_weights(games, seed=5, replicates=50)
    )


def test_interval_is_near_the_normal_one_for_many_videos() -> None:
    values = np.random.default_rng(0).normal(50, 10, 400)
    games = [f"g{i}" for i in range(400)]
    weights = cluster_weights(games, replicates=4000)
    for method in ("percentile", "bca"):
        interval = bootstrap_interval(values, np.ones(400), games, weights, method=method)
        half = 1.96 * values.std() / 20
        assert interval.low == pytest.approx(values.mean() - half, abs=0.15)
        assert interval.high == pytest.approx(values.mean() + half, abs=0.15)
        assert interval.method == method


def test_clusters_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    values = np.repeat(rng.normal(50, 10, 10), 10)
    games = [f"g{i // 10}" for i in range(100)]
    alone = [f"g{i}" for i in range(100)]
    widths = []
    for names in (games, alone):
        interval = bootstrap_interval(values, np.ones(100), names, cluster_weights(names, replicates=2000))
        widths.append(interval.high - interval.low)
    assert widths[0] > 2.4 * widths[1]


def test_a_constant_has_no_spread_and_nothing_has_no_interval() -> None:
    weights = cluster_weights(["a", "b"], replicates=100)
    interval = bootstrap_interval([100, 100], [1, 1], ["a", "b"], weights)
    assert (interval.low, interval.high, interval.method) == (100, 100, "constant")
    with pytest.raises(ValueError, match="nothing to resample"):
        bootstrap_interval([0, 0], [0, 0], ["a", "b"], weights)


def test_sign_flips_exact_and_drawn() -> None:
    assert sign_flip_p([1, 2, 3, 4]) == pytest.approx(2 / 16)
    assert sign_flip_p([0, 0]) == 1
    assert sign_flip_p([1, -1]) == 1
    rng = np.random.default_rng(0)
    assert sign_flip_p(rng.normal(3, 1, 40)) < 0.001
    assert sign_flip_p(rng.normal(0, 1, 40)) > 0.05


def test_holm_textbook() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]


def test_compare_shares_resamples_and_puts_the_better_first() -> None:
    games = [f"g{i // 2}" for i in range(12)]
    rng = np.random.default_rng(0)
    base = rng.uniform(0, 100, 12)
    values = {"worse": base, "better": base + 8 + rng.uniform(0, 1, 12), "same": base + 8 + rng.uniform(0, 1, 12)}
    rows = compare(values, games, weights=cluster_weights(games, replicates=2000))
    found = {frozenset((r.first, r.second)): r for r in rows}
    clear = found[frozenset(("better", "worse"))]
    # The videos differ by 100 points and the systems by 8: only pairing can see it.
    assert clear.first == "better" and 7.9 < clear.low < clear.high < 9.1 and clear.is_distinguishable
    assert clear.p == pytest.approx(2 / 2**12)
    assert not found[frozenset(("better", "same"))].is_distinguishable


def test_tie_groups_overlap() -> None:
    def row(first: str, second: str, p: float) -> Comparison:
        return Comparison(first, second, 1, 0, 2, p, p, 10)

    rows = [
        row("a", "b", 0.5),
        row("b", "c", 0.5),
        row("a", "c", 0.01),
        row("a", "d", 0.001),
        row("b", "d", 0.001),
        row("c", "d", 0.001),
    ]
    assert tie_groups(["a", "b", "c", "d"], rows) == [["a", "b"], ["b", "c"], ["d"]]


@pytest.mark.slow
def test_coverage_of_the_interval() -> None:
    rng = np.random.default_rng(7)
    games = [f"g{i}" for i in range(100)]
    weights = cluster_weights(games, replicates=1000)
    hits = 0
    for _ in range(400):
        values = 100 * rng.beta(1.2, 0.8, 100)
        interval = bootstrap_interval(values, np.ones(100), games, weights)
        hits += interval.low <= 60 <= interval.high
    assert 0.93 <= hits / 400 <= 0.97
