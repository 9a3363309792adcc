"""From looks to masks and regions."""

from __future__ import annotations

import numpy as np
import pytest

from models.lite.config import MaskConfig
from models.lite.mask import blocks, decide, enlarge, look_times, regions_of


def test_blocks_cover_the_clip() -> None:
    assert blocks(1, 150) == [(0, 1)]
    assert blocks(150, 150) == [(0, 150)]
    assert blocks(400, 150) == [(0, 133), (133, 266), (266, 400)]


def test_look_times_end_with_the_last_frame() -> None:
    assert look_times(0, 13, 6) == [0, 6, 12]
    assert look_times(10, 20, 6) == [10, 16, 19]
    assert look_times(5, 6, 6) == [5]


def test_weak_regions_are_dropped_and_flicker_is_averaged() -> None:
    probability = np.zeros((5, 40, 60), np.float32)
    probability[:, 5:15, 5:20] = 0.9
    probability[:, 25:30, 30:50] = 0.5
    probability[2, 5:15, 40:50] = 0.7
    decided = decide(probability, MaskConfig(low=0.4, peak=0.6, smooth=1))
    assert (decided[:, 5:15, 5:20] > 0.8).all()
    assert not decided[:, 25:30, 30:50].any()
    assert not decided[:, 5:15, 40:50].any()


def test_few_looks_are_averaged_too() -> None:
    probability = np.full((2, 16, 16), 0.9, np.float32)
    assert np.allclose(decide(probability, MaskConfig(smooth=5)), 0.9)


def test_regions_and_enlarged_masks_meet() -> None:
    looks = np.zeros((2, 36, 64), np.float32)
    looks[0, 4:10, 6:20] = 1.0
    looks[1, 20:30, 40:60] = 1.0
    config = MaskConfig(grow_px=0)
    regions = regions_of(looks, (256, 144), config.low, 16)
    assert len(regions) == 2
    first = min(regions, key=lambda region: region.top)
    inside = np.zeros((144, 256), bool)
    inside[first.window] = enlarge(looks[0], first, (256, 144), config.low, config.grow_px)
    truth = np.zeros_like(inside)
    truth[16:40, 24:80] = True
    assert (inside & truth).sum() / (inside | truth).sum() > 0.9
    assert not enlarge(looks[0] * 0, first, (256, 144), config.low, config.grow_px).any()
    # Rectangles may overlap, what they own does not.
    assert (sum(region.own for region in regions) <= 1).all()
    grown = enlarge(looks[0], first, (256, 144), config.low, 3)
    assert grown.sum() > inside.sum() and grown[inside[first.window]].all()


def test_bad_thresholds_are_refused() -> None:
    with pytest.raises(ValueError, match="low"):
        MaskConfig(low=0.8, peak=0.5)
