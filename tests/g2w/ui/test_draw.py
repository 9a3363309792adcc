from __future__ import annotations

import hashlib
import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from g2w.ui.draw import LOCALIZED, LOCALIZED_EVERY, NUM_ICONS, NUM_VARIANTS, Asset, draw_asset, starter_library
from g2w.ui.drawing.icons import icon, icon_names
from g2w.ui.drawing.pencil import Canvas
from g2w.ui.drawing.scripts import SCRIPTS
from g2w.ui.drawing.style import PALETTES, theme
from g2w.ui.taxonomy import load_taxonomy


@pytest.fixture(scope="module")
def libraries() -> dict[str, list[Asset]]:
    return {style_set: starter_library(style_set, 0) for style_set in ("a", "b")}


def test_every_class_has_enough_variants(libraries: dict[str, list[Asset]]) -> None:
    for style_set, least in (("a", 8), ("b", 4)):
        distinct = Counter(cls for cls, _ in {(asset.cls, asset.asset_id) for asset in libraries[style_set]})
        assert set(distinct) == set(load_taxonomy().names)
        assert min(distinct.values()) >= least, distinct
        whole = [asset for asset in libraries[style_set] if ":" not in asset.theme]
        assert len(whole) == 21 * NUM_VARIANTS[style_set]


def test_no_image_crosses_the_style_sets(libraries: dict[str, list[Asset]]) -> None:
    def hashes(assets: list[Asset]) -> set[str]:
        states = (state for asset in assets for state in np.split(asset.pixels, asset.num_states))
        return {hashlib.sha256(state.tobytes()).hexdigest() for state in states}

    assert not hashes(libraries["a"]) & hashes(libraries["b"])


def test_no_color_font_or_icon_crosses_the_style_sets() -> None:
    colors = {letter: {color for palette in PALETTES[letter] for color in palette} for letter in "ab"}
    fonts = {letter: {theme(letter, 0, k).font for k in range(12)} for letter in "ab"}
    shapes = {letter: {theme(letter, 0, k).shape for k in range(12)} for letter in "ab"}
    assert not colors["a"] & colors["b"]
    assert not fonts["a"] & fonts["b"]
    assert not shapes["a"] & shapes["b"]
    assert not set(icon_names("a")) & set(icon_names("b"))
    with pytest.raises(KeyError, match="style set 'a'"):
        icon(Canvas(20, 20, theme("a", 0, 0)), "heart", 10, 10, 10, (1, 2, 3))


def test_drawing_is_deterministic_and_seeded() -> None:
    first, again, other = (draw_asset("map_radar", "a", seed, 2) for seed in (0, 0, 1))
    assert first.png() == again.png() and first.asset_id == again.asset_id
    assert other.asset_id != first.asset_id


def test_pictures_are_clean_straight_alpha(libraries: dict[str, list[Asset]]) -> None:
    for asset in (*libraries["a"][:42], *libraries["b"][:21]):
        back = np.asarray(Image.open(io.BytesIO(asset.png())))
        assert np.array_equal(back, asset.pixels)
        alpha = asset.pixels[..., 3]
        assert not asset.pixels[alpha == 0].any()
        assert 4 <= asset.width <= 640 and 4 <= asset.height <= 640
        joint = alpha.reshape(asset.num_states, asset.height, asset.width).max(axis=0)
        assert joint[0].any() and joint[-1].any() and joint[:, 0].any() and joint[:, -1].any()


def test_changing_classes_have_different_states(libraries: dict[str, list[Asset]]) -> None:
    for asset in libraries["a"][:21]:
        states = {state.tobytes() for state in np.split(asset.pixels, asset.num_states)}
        if load_taxonomy()[asset.cls].dynamics == "static":
            assert asset.num_states == 1
        else:
            assert len(states) > 1, asset.cls


def test_translucent_classes_are_translucent(libraries: dict[str, list[Asset]]) -> None:
    marks = [asset for asset in libraries["a"] if asset.cls == "watermark"]
    assert all(asset.pixels[..., 3].max() <= 170 for asset in marks)


def test_bad_assets_are_refused() -> None:
    good = draw_asset("subtitle", "a", 0, 0)
    with pytest.raises(ValueError, match="nothing is visible"):
        Asset("subtitle", "a", np.zeros((4, 4, 4), np.uint8), 1, "", "drawn", "x", "", "")
    with pytest.raises(ValueError, match="equal states"):
        Asset("subtitle", "a", good.pixels, good.height + 1, "", "drawn", "x", "", "")
    with pytest.raises(ValueError, match="style_set is 'c'"):
        starter_library("c", 0)


def test_loose_hotbar_parts_and_translations_belong_to_their_game(libraries: dict[str, list[Asset]]) -> None:
    for style_set in ("a", "b"):
        kinds = Counter(asset.theme.partition(":")[2] for asset in libraries[style_set])
        count = NUM_VARIANTS[style_set]
        assert kinds["bar"] == count and kinds["icon"] == NUM_ICONS * count
        assert all(kinds[script] == len(LOCALIZED) * -(-count // LOCALIZED_EVERY) for script in SCRIPTS)
    for asset in libraries["a"]:
        if asset.theme.endswith(":bar"):
            slot = asset.width / asset.num_states
            assert 5 <= asset.num_states <= 9 and 0.7 < slot / asset.height < 1.2
        if asset.theme.endswith(":icon"):
            assert asset.cls == "inventory" and asset.num_states == 1 and max(asset.width, asset.height) <= 48


def test_chat_scrolls_in_a_loop() -> None:
    chat = draw_asset("chat_comms", "a", 0, 0)
    states = np.split(chat.pixels, chat.num_states)
    assert len({state.tobytes() for state in states}) == chat.num_states >= 7
