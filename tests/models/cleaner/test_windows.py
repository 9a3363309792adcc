"""Sliding windows and their blending."""

from __future__ import annotations

import numpy as np
import pytest

from models.cleaner.config import WindowConfig
from models.cleaner.windows import (
    OverlapMean,
    blend_weights,
    far_indices,
    plan_windows,
    sampled_indices,
    spread_over_time,
)

CONFIG = WindowConfig(num_frames=9, stride=2, hop=8)


@pytest.mark.parametrize("length", [1, 2, 8, 9, 10, 17, 18, 100])
def test_every_position_is_covered(length: int) -> None:
    windows = list(plan_windows(length, CONFIG))
    assert {index for window in windows for index in window.indices} == set(range(length))
    assert all(len(window.indices) == 9 for window in windows)
    if length >= 9:
        assert all(list(w.indices) == list(range(w.indices[0], w.indices[0] + 9)) for w in windows)


@pytest.mark.parametrize(
    ("center", "num_frames", "first", "last"),
    [(300, 600, 230, 369), (0, 600, 0, 149), (599, 600, 450, 599), (40, 90, 0, 89), (0, 1, 0, 0)],
)
def test_far_frames_spread_over_the_span_inside_the_video(center: int, num_frames: int, first: int, last: int) -> None:
    found = far_indices(center, num_frames, WindowConfig(num_far=8, far_span=150))
    assert len(found) == 8 and (np.diff(found) >= 0).all()
    assert first <= found[0] <= first + 10 and last - 10 <= found[-1] <= last


def test_overlap_mean_is_a_weighted_mean() -> None:
    mean = OverlapMean(10, (1,))
    weights = blend_weights(9)
    assert weights.min() > 0 and weights.argmax() == 4
    for number, window in enumerate(plan_windows(10, CONFIG)):
        mean.add(window, np.full((9, 1), float(number)), weights)
    values = mean.mean()[:, 0]
    assert values[0] == 0 and values[9] == 1 and (np.diff(values) >= 0).all()


def test_uncovered_frames_are_an_error() -> None:
    with pytest.raises(ValueError, match="covered by no window"):
        OverlapMean(3, (1,)).mean()


def test_values_between_sampled_frames_are_interpolated() -> None:
    indices = sampled_indices(6, 2)
    assert indices.tolist() == [0, 2, 4]
    assert spread_over_time(np.array([[0.0], [4.0], [8.0]]), indices, 6)[:, 0].tolist() == [0, 2, 4, 6, 8, 8]
    with pytest.raises(ValueError, match="at least one frame"):
        sampled_indices(0, 2)
