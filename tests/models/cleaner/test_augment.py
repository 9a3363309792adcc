"""Augmentation keeps pairs aligned."""

from __future__ import annotations

import numpy as np
import pytest

from models.cleaner.augment import AugmentConfig, augment
from models.cleaner.data import PairBatch


def test_pixels_outside_the_mask_stay_equal_and_inputs_stay_untouched(stripes) -> None:
    pairs = stripes.sample(0, 1, 8)
    before = pairs.ui.copy()
    config = AugmentConfig(mirror=0.5, permute_channels=0.5, gain=(0.5, 1.5), freeze=0.5)
    changed = augment(pairs, config, np.random.default_rng(0))
    outside = changed.mask == 0
    assert (changed.ui[outside] == changed.clean[outside]).all()
    assert (changed.mask.sum(axis=(1, 2, 3)) == pairs.mask.sum(axis=(1, 2, 3))).all()
    assert (pairs.ui == before).all() and (changed.ui != before).any()


def test_frozen_windows_do_not_move(stripes) -> None:
    changed = augment(stripes.sample(0, 2, 2), AugmentConfig(freeze=1.0), np.random.default_rng(0))
    assert (changed.ui == changed.ui[:, :1]).all()


def test_same_generator_same_bytes(stripes) -> None:
    pairs = stripes.sample(0, 3, 4)
    first, second = (augment(pairs, AugmentConfig(), np.random.default_rng(5)) for _ in range(2))
    assert (first.ui == second.ui).all() and (first.clean == second.clean).all()


def test_bad_values_are_refused() -> None:
    with pytest.raises(ValueError, match="mirror"):
        AugmentConfig(mirror=2.0)
    with pytest.raises(ValueError, match="gain"):
        AugmentConfig(gain=(1.0, 0.5))
    with pytest.raises(ValueError, match="do not agree"):
        PairBatch(
            np.zeros((1, 9, 4, 4, 3)), np.zeros((1, 9, 4, 8, 3)), np.zeros((1, 9, 4, 4)), np.zeros((1, 2, 4, 4, 3))
        )
