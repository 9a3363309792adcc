"""Smooth fill at a model's inner size."""

from __future__ import annotations

import numpy as np
import pytest

from models.baselines import OracleFillInner


def test_the_fill_is_as_soft_as_the_inner_size_and_stays_in_the_mask() -> None:
    rng = np.random.default_rng(1)
    truth = np.clip(100 + rng.normal(0, 20, (1, 144, 256, 3)), 0, 255).astype(np.uint8)
    frames, masks = truth.copy(), np.zeros((1, 144, 256), np.uint8)
    masks[0, 40:80, 60:140] = 255
    frames[masks > 0] = 255
    result = OracleFillInner(size=(64, 36)).clean(frames, masks)
    inside, outside = result.mask[0] > 0, result.mask[0] == 0
    assert np.array_equal(result.frames[0][outside], frames[0][outside])
    filled = result.frames[0][inside].astype(float)
    assert abs(filled.mean() - 100) < 6 and filled.std() < 0.5 * truth[0][inside].std()


def test_an_empty_mask_changes_nothing() -> None:
    frames = np.random.default_rng(0).integers(0, 255, (2, 36, 64, 3), dtype=np.uint8)
    result = OracleFillInner(size=(32, 18)).clean(frames, np.zeros((2, 36, 64), np.uint8))
    assert np.array_equal(result.frames, frames)
    with pytest.raises(ValueError, match="at least 8"):
        OracleFillInner(size=(4, 4))
