from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from g2w.synth.config import FILTERS
from g2w.synth.effects import dress, over, padding, resample, soften

DOT = np.zeros((11, 11, 4), np.uint8)
DOT[3:8, 3:8] = (200, 100, 50, 255)


def _dress(rgba: np.ndarray = DOT, load: Any = None, **spec: Any) -> tuple[np.ndarray, int]:
    return dress(rgba, {"w": rgba.shape[1], "h": rgba.shape[0], "opacity": 255, **spec}, load)


def test_over_is_the_rounded_formula() -> None:
    rng = np.random.default_rng(0)
    below, above = (rng.integers(0, 256, (9, 9, 4), dtype=np.uint8) for _ in range(2))
    a, b = above[..., 3:] / 255, below[..., 3:] / 255
    alpha = a + b * (1 - a)
    color = (above[..., :3] * a + below[..., :3] * b * (1 - a)) / np.where(alpha > 0, alpha, 1)
    out = over(below, above)
    assert np.abs(out[..., 3:] - 255 * alpha).max() <= 0.5 + 1e-9
    assert np.abs(out[..., :3] - color).max() <= 0.5 + 1e-9
    assert np.array_equal(over(np.zeros_like(above), above)[above[..., 3] > 0], above[above[..., 3] > 0])


def test_nothing_to_do_returns_the_picture() -> None:
    out, pad = _dress()
    assert pad == 0 and np.array_equal(out, DOT)


@pytest.mark.parametrize(
    "effects", [{"outline": [2, 0, 255, 0]}, {"glow": [3, 0, 255, 0, 200]}, {"shadow": [3, -2, 2, 180]}]
)
def test_effects_reach_no_further_than_their_padding(effects: dict[str, list[int]]) -> None:
    solid = np.full((6, 8, 4), 255, np.uint8)
    out, pad = _dress(solid, effects=effects)
    assert pad == padding(effects) and out.shape == (6 + 2 * pad, 8 + 2 * pad, 4)
    assert np.array_equal(out[pad:-pad, pad:-pad], solid)
    around = out[..., 3].astype(int)
    around[pad:-pad, pad:-pad] = 0
    assert around.any()
    wider = np.pad(solid, ((9, 9), (9, 9), (0, 0)))  # the same effects with room to spare draw the same
    far, far_pad = _dress(wider, effects=effects)
    edge = far_pad + 9 - pad
    assert np.array_equal(far[edge:-edge, edge:-edge], out)
    assert far[..., 3].sum() == out[..., 3].sum()


def test_outline_has_its_color_and_width() -> None:
    out, _ = _dress(effects={"outline": [1, 10, 20, 30]})
    assert tuple(out[3, 6]) == (10, 20, 30, 255) and not out[2, 6].any()


def test_soften_keeps_the_sum_of_a_spot() -> None:
    spot = np.zeros((21, 21), np.uint8)
    spot[8:13, 8:13] = 250
    out = soften(spot, 2).astype(int)
    assert np.array_equal(out, out[::-1]) and np.array_equal(out, out.T) and out.max() <= 250
    assert abs(out.sum() - spot.astype(int).sum()) < 0.05 * spot.astype(int).sum()


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_gives_the_size_and_no_dark_rim(name: str) -> None:
    out = resample(DOT, 23, 17, name)
    assert out.shape == (17, 23, 4)
    strong = out[..., 3] > 60
    # transparent black did not mix in; lanczos may ring, but only to the bright side here
    assert (out[strong][:, :3].astype(int) - (200, 100, 50)).min() >= -4
    assert not out[out[..., 3] == 0].any()


def test_filters_differ_and_unknown_ones_are_refused() -> None:
    rng = np.random.default_rng(2)
    picture = rng.integers(0, 256, (12, 12, 4), dtype=np.uint8)
    assert len({resample(picture, 19, 17, name).tobytes() for name in FILTERS}) == 4
    with pytest.raises(ValueError, match="bicubic"):
        resample(picture, 19, 17, "bicubic")


def test_parts_are_laid_into_their_carrier() -> None:
    icon = np.full((8, 8, 4), (0, 0, 255, 255), np.uint8)
    part = {"asset_id": "i", "x": 4, "y": 4, "w": 4, "h": 4}
    out, _ = _dress(parts=[part], load={"i": icon}.__getitem__)
    assert (out[4:8, 4:8] == (0, 0, 255, 255)).all() and tuple(out[3, 3]) == (200, 100, 50, 255)
    with pytest.raises(ValueError, match="beyond its carrier"):
        _dress(parts=[{**part, "x": 9}], load={"i": icon}.__getitem__)


def test_opacity_comes_last() -> None:
    out, _ = _dress(effects={"outline": [1, 0, 0, 0]}, opacity=128)
    assert out[..., 3].max() == 128
