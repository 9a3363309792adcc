"""Masks and fills at the inner size."""

from __future__ import annotations

import numpy as np

from models.cleaner.composite import (
    average_over_time,
    clean_mask,
    close_holes,
    combine_evidence,
    smooth_over,
    undecided,
)
from models.cleaner.config import CompositeConfig

CONFIG = CompositeConfig(low=0.4, high=0.6, dilate=1, min_peak=0.9)


def test_weak_regions_are_dropped_and_strong_ones_grow() -> None:
    probability = np.zeros((20, 30), np.float32)
    probability[2:6, 2:6] = 0.8
    probability[10:14, 10:14] = 0.7
    probability[12, 12] = 0.95
    mask = clean_mask(probability, CONFIG)
    assert not mask[:8, :8].any()
    assert (mask[10:14, 10:14] == 1).all() and mask[9, 12] == 1 and mask[7, 12] == 0


def test_smoothing_over_leaves_the_rest_alone() -> None:
    frame = np.random.default_rng(0).integers(0, 255, (32, 48, 3)).astype(np.uint8)
    mask = np.zeros((32, 48), np.float32)
    assert smooth_over(frame, mask) is frame
    mask[8:16, 8:20] = 0.2
    smooth = smooth_over(frame, mask)
    assert (smooth[mask == 0] == frame[mask == 0]).all()
    assert smooth[mask > 0].std() < frame[mask > 0].std() / 2


def test_doubt_is_where_the_mask_is_and_the_network_is_not_sure() -> None:
    probability = np.array([[0.5, 0.99, 0.5]], np.float32)
    assert undecided(probability, np.array([[255, 255, 0]], np.uint8)).tolist() == [[255, 10, 0]]


def test_average_keeps_the_steady_and_weakens_the_passing() -> None:
    probability = np.zeros((40, 2, 2), np.float32)
    probability[:, 0, 0] = 1
    probability[20:24, 1, 1] = 1
    smooth = average_over_time(probability, 8)
    assert np.allclose(smooth[:, 0, 0], 1) and smooth[:, 1, 1].max() < 0.3
    assert average_over_time(probability, 0) is probability
    assert average_over_time(probability[:1], 8).shape == (1, 2, 2)


def test_short_evidence_counts_at_a_discount() -> None:
    config = CompositeConfig(short_radius=2, long_radius=30, short_discount=1.5)
    probability = np.full((100, 1, 3), 0.02, np.float32)
    probability[40:60, 0, 1] = 0.97
    probability[:, 0, 2] = 0.9
    evidence = combine_evidence(probability, config)
    assert evidence[50, 0, 0] < 0.05 and evidence[50, 0, 2] > 0.89
    assert 0.8 < evidence[50, 0, 1] < 0.97 and evidence[10, 0, 1] < 0.3


def test_small_enclosed_holes_are_closed() -> None:
    mask = np.zeros((30, 30), np.float32)
    mask[5:25, 5:25] = 1
    mask[10:13, 10:13] = 0
    mask[15:18, 22:30] = 0
    closed = close_holes(mask, 20)
    assert closed[11, 11] == 1 and closed[16, 26] == 0 and closed[0, 0] == 0
    assert close_holes(mask, 5)[11, 11] == 0
