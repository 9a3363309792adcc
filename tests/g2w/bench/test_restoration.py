"""PSNR in regions: closed form, cap, and the mask."""

from __future__ import annotations

import numpy as np
import pytest

from g2w.bench.restoration import RestorationReference, psnr


def test_closed_form_and_cap() -> None:
    one = np.full((20, 30, 3), 100, np.uint8)
    assert psnr(one, one + 10) == pytest.approx(20 * np.log10(255 / 10))
    assert psnr(one, one) == 100


def test_only_the_mask_counts() -> None:
    one, two = np.zeros((20, 30, 3), np.uint8), np.zeros((20, 30, 3), np.uint8)
    two[:, 15:] = 50
    left, right = np.zeros((20, 30), np.uint8), np.zeros((20, 30), np.uint8)
    left[:, :15], right[:, 15:] = 255, 255
    assert psnr(one, two, left) == 100
    assert psnr(one, two, right) == pytest.approx(20 * np.log10(255 / 50))
    with pytest.raises(ValueError, match="empty"):
        psnr(one, two, np.zeros_like(left))


def test_an_empty_region_has_no_number() -> None:
    clean, nothing = np.zeros((20, 30, 3), np.uint8), np.zeros((20, 30), np.uint8)
    found = RestorationReference(clean, nothing, nothing + 255).features(clean, np.ones((20, 30), np.float32))
    assert found == {"psnr_background": 100.0}
