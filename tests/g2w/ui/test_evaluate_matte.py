from __future__ import annotations

import numpy as np
import pytest

from g2w.ui.evaluate_matte import alpha_errors, alpha_from_renderings, alpha_regions, mean_errors


def _truth() -> np.ndarray:
    alpha = np.zeros((20, 30))
    alpha[:, 10:20], alpha[:, 20:] = 0.5, 1.0
    return alpha


def test_regions_share_out_all_pixels() -> None:
    regions = alpha_regions(_truth())
    assert (sum(mask.astype(int) for mask in regions.values()) == 1).all()
    assert [int(regions[name][5].sum()) for name in ("opaque", "translucent", "edge", "empty")] == [9, 8, 4, 9]


def test_errors_are_filed_by_the_truth() -> None:
    alpha = _truth()
    alpha[:, 20:] -= 0.2
    means = mean_errors([alpha_errors(alpha, _truth()), alpha_errors(_truth(), _truth())])
    assert means["opaque"][0] == pytest.approx(0.1) and means["translucent"] == (0.0, 320)
    assert means["edge"][0] == pytest.approx(0.2 / 4 / 2) and means["empty"][0] == 0.0
    assert means["visible"][1] == sum(means[name][1] for name in ("opaque", "translucent", "edge"))
    assert mean_errors([])["visible"] == (None, 0)
    with pytest.raises(ValueError, match="truth"):
        alpha_errors(alpha[1:], _truth())


def test_alpha_from_black_and_white_is_exact_to_a_gray_level() -> None:
    truth, color = _truth()[..., None], np.array([200.0, 30.0, 90.0])
    black, white = (np.rint(truth * color + (1 - truth) * level).astype(np.uint8) for level in (0, 255))
    assert np.abs(alpha_from_renderings(black, white) - truth[..., 0]).max() < 1 / 255
