"""CIEDE2000 against published pairs and scikit-image."""

from __future__ import annotations

import numpy as np
import pytest
from skimage import color

from g2w.bench.color import ciede2000, rgb_to_lab

# Sharma, Wu, Dalal 2005, table 1: pairs that catch the usual mistakes of hue and rotation.
SHARMA = [
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0009), 7.1792),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0011), 7.2195),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("first", "second", "expected"), SHARMA)
def test_published_pairs(first: tuple[float, ...], second: tuple[float, ...], expected: float) -> None:
    assert float(ciede2000(np.array(first), np.array(second))) == pytest.approx(expected, abs=1e-4)


def test_agrees_with_scikit_image() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 256, (2, 40, 30, 3)).astype(np.uint8)
    assert np.allclose(rgb_to_lab(one), color.rgb2lab(one), atol=0.01)
    ours = ciede2000(rgb_to_lab(one), rgb_to_lab(two))
    assert np.allclose(ours, color.deltaE_ciede2000(color.rgb2lab(one), color.rgb2lab(two)), atol=0.02)
    assert np.all(ciede2000(rgb_to_lab(one), rgb_to_lab(one)) == 0)
