from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from g2w.ui.draw import Asset, draw_asset
from g2w.ui.extract import ExtractConfig, Extraction, ExtractReason
from g2w.ui.similar import GRID, area_weights, describe, distances, merge_similar

CONFIG = ExtractConfig()


def _picture(cls: str, index: int, scale: tuple[float, float] = (1, 1)) -> np.ndarray:
    asset = draw_asset(cls, "a", 0, index)
    picture = Image.fromarray(asset.pixels[: asset.height], "RGBA").convert("RGBa")
    size = (round(asset.width * scale[0]), round(asset.height * scale[1]))
    return np.asarray(picture.resize(size, Image.Resampling.BOX).convert("RGBA"))


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(distances(describe([a]), describe([b]))[0, 0])


def _noisy(picture: np.ndarray, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 12, picture.shape)
    return np.clip(picture + noise * (picture[..., 3:] > 0), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("length", [5, GRID, 37, 640])
def test_cells_are_means_over_equal_areas(length) -> None:
    weights = area_weights(length)
    assert weights.shape == (GRID, length) and np.allclose(weights.sum(axis=1), 1, atol=1e-5)
    assert np.allclose(weights.sum(axis=0), GRID / length, atol=1e-5)


@pytest.mark.parametrize("cls", ["player_status", "map_radar", "subtitle", "inventory", "stream_overlay"])
def test_size_and_noise_change_little_and_another_drawing_much(cls) -> None:
    picture = _picture(cls, 1)
    assert _distance(picture, picture) < 1e-3
    assert _distance(picture, _picture(cls, 1, (0.7, 0.7))) < CONFIG.near_duplicate
    assert _distance(_noisy(picture, 1), _noisy(picture, 2)) < CONFIG.near_duplicate
    assert all(_distance(picture, _picture(cls, index)) > CONFIG.near_duplicate for index in (2, 3))


def test_proportions_count() -> None:
    assert _distance(_picture("map_radar", 1), _picture("map_radar", 1, (2, 1))) > CONFIG.near_duplicate


def test_empty_margins_do_not_count() -> None:
    tight = _picture("map_radar", 1)
    assert _distance(tight, np.pad(tight, ((3, 9), (14, 2), (0, 0)))) < 1e-3


@pytest.mark.parametrize("thickness", [1, 30])
def test_what_has_no_color_in_common_is_as_far_however_thin_it_is(thickness) -> None:
    red, blue = np.zeros((2, 60, 60, 4), np.uint8)
    for picture, channel in ((red, 0), (blue, 2)):
        for edge in (np.s_[:thickness], np.s_[-thickness:], np.s_[:, :thickness], np.s_[:, -thickness:]):
            picture[edge] = [255 * (k in (channel, 3)) for k in range(4)]
    assert _distance(red, blue) == pytest.approx((0.9 * 2) ** 0.5, abs=0.01)


def test_a_picture_without_a_visible_pixel_is_refused() -> None:
    with pytest.raises(ValueError, match="no look"):
        describe([np.zeros((5, 5, 4), np.uint8)])


def _cut(asset: Asset, confidence: float, verdict: str = "accepted", **known) -> Extraction:
    proposal = {"clip_id": f"{confidence}", "x": 0, **known}
    return Extraction(proposal, verdict, None, replace(asset, source="extracted", confidence=confidence))


@pytest.fixture
def three() -> list[Asset]:
    """One element, cut three times, and as large as it is."""
    base = draw_asset("map_radar", "a", 0, 1)
    picture = _picture("map_radar", 1)
    return [replace(base, pixels=_noisy(picture, seed), num_states=1) for seed in range(3)]


def test_the_more_confident_one_stays_and_the_others_name_it(three) -> None:
    items = [_cut(asset, confidence) for asset, confidence in zip(three, (0.7, 0.9, 0.8), strict=True)]
    other = _cut(draw_asset("map_radar", "a", 0, 2), 0.1)
    merged = merge_similar([*items, other], CONFIG)
    assert [item.asset is not None for item in merged] == [False, True, False, True]
    for item in (merged[0], merged[2]):
        assert (item.verdict, item.reason) == ("rejected", ExtractReason.NEAR_DUPLICATE)
        assert item.duplicate_of == three[1].asset_id
    assert merge_similar([*items[::-1], other], CONFIG)[1] == merged[1], "the order of the items decides nothing"
    assert merge_similar([*items, other], ExtractConfig(near_duplicate=0.0)) == [*items, other]


def _stays(items: list[Extraction]) -> list[Extraction]:
    return [item for item in merge_similar(items, CONFIG) if item.asset is not None]


def test_a_person_comes_before_the_machine_and_acceptance_before_waiting(three) -> None:
    waits, auto, human = (
        _cut(three[0], 0.9, "needs_review"),
        _cut(three[1], 0.8),
        _cut(three[2], 0.1, review="accepted"),
    )
    assert _stays([waits, auto]) == [auto]
    assert _stays([waits, auto, human]) == [human]


def test_the_same_look_in_two_classes_is_two_elements(three) -> None:
    items = [_cut(three[0], 0.9), _cut(replace(three[1], cls="other_hud"), 0.8)]
    assert merge_similar(items, CONFIG) == items


def test_a_duplicate_of_one_that_went_names_the_one_that_stays(three) -> None:
    worse, better = _cut(three[0], 0.5), _cut(three[1], 0.9)
    same_place = Extraction({"x": 1}, "rejected", ExtractReason.DUPLICATE, None, three[0].asset_id)
    refused = Extraction({"x": 2}, "rejected", "too_small", None)
    *_, third, fourth = merge_similar([worse, better, same_place, refused], CONFIG)
    assert third.duplicate_of == three[1].asset_id and third.reason == ExtractReason.DUPLICATE
    assert fourth == refused
