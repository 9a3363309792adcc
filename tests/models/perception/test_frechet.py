from __future__ import annotations

import numpy as np
import pytest

from models.perception.frechet import frechet_distance


def test_equal_sets_have_distance_zero_and_shifts_their_square() -> None:
    a = np.random.default_rng(0).normal(size=(400, 12))
    assert frechet_distance(a, a) == pytest.approx(0, abs=1e-8)
    assert frechet_distance(a, a + 0.5) == pytest.approx(12 * 0.25)


def test_the_closed_form_of_diagonal_gaussians() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=(3000, 5))
    base = (base - base.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(base, rowvar=False))).T  # exactly white
    s, t, shift = np.array([1, 2, 0.5, 3, 1.0]), np.array([2, 2, 1.5, 1, 0.1]), np.array([1, 0, 0, -2, 0.5])
    expected = (shift**2).sum() + ((s - t) ** 2).sum()
    assert frechet_distance(base * s, base * t + shift) == pytest.approx(expected, rel=1e-9)


def test_fewer_samples_than_dimensions_and_symmetry() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(20, 64)).astype(np.float32), rng.normal(size=(30, 64)).astype(np.float32) * 2
    assert frechet_distance(a, b) == pytest.approx(frechet_distance(b, a), rel=1e-6)
    assert frechet_distance(a, b) > 0


def test_wrong_features_are_refused() -> None:
    good = np.zeros((4, 3))
    for wrong in (np.zeros((1, 3)), np.zeros((4, 2)), np.zeros(4)):
        with pytest.raises(ValueError, match="features must be"):
            frechet_distance(good, wrong)
    with pytest.raises(ValueError, match="not finite"):
        frechet_distance(good, np.full((4, 3), np.nan))
