from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from g2w.synth.recipe import sample_recipes
from g2w.synth.render import MIN_VISIBLE_ALPHA, PairRenderer

Library = tuple[Path, list[dict[str, Any]]]


def _row(elements: list[dict[str, Any]]) -> dict[str, Any]:
    return {"pair_id": "p", "num_frames": 150, "start_frame": 0, "elements": json.dumps(elements)}


def _element(library: Library, cls: str, **changes: Any) -> dict[str, Any]:
    asset = next(row for row in library[1] if row["cls"] == cls)
    base = {
        "element_id": "e00",
        "asset_id": asset["asset_id"],
        "cls": cls,
        "x": 100,
        "y": 80,
        "w": asset["w"],
        "h": asset["h"],
        "start": 0,
        "stop": 150,
        "animation": "instant",
        "enter": 0,
        "leave": 0,
        "opacity": 255,
        "num_states": asset["num_states"],
        "states": [[0, 0]],
    }
    return {**base, **changes}


@pytest.fixture(scope="module")
def clean() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (720, 1280, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def row(library: Library, clips: list[dict[str, Any]]) -> dict[str, Any]:
    rows = sample_recipes(clips, library[1], count=60, seed=5, split="train")
    return max(rows, key=lambda row: row["num_elements"])


def test_one_layer_is_the_rounded_formula(library: Library, clean: np.ndarray) -> None:
    element = _element(library, "chat_comms")
    ui, mask = PairRenderer(library[0], _row([element])).frame(3, clean)
    strip = np.asarray(Image.open(library[0] / "png" / f"{element['asset_id']}.png"))[: element["h"]].astype(np.int64)
    spot = (slice(80, 80 + element["h"]), slice(100, 100 + element["w"]))
    alpha = strip[..., 3:]
    assert 0 < alpha.min(initial=255, where=alpha > 0) < 255  # a translucent element, or the test proves little
    want = np.floor((strip[..., :3] * alpha + clean[spot] * (255 - alpha)) / 255 + 0.5)
    assert np.array_equal(ui[spot], want) and np.array_equal(mask[spot], alpha[..., 0])


def test_background_bytes_stay_outside_the_mask_and_input_is_untouched(
    library: Library, clean: np.ndarray, row: dict[str, Any]
) -> None:
    before, renderer = clean.copy(), PairRenderer(library[0], row)
    changed = 0
    for i in range(0, 150, 10):
        ui, mask = renderer.frame(i, clean)
        assert np.array_equal(ui[mask == 0], clean[mask == 0])
        assert np.array_equal(mask, renderer.mask(i))
        changed += int((ui != clean).any(axis=-1).sum())
    assert np.array_equal(clean, before) and changed > 100_000


def test_frames_do_not_depend_on_order_or_instance(library: Library, clean: np.ndarray, row: dict[str, Any]) -> None:
    def digest(order: list[int]) -> dict[int, str]:
        renderer = PairRenderer(library[0], row)
        return {
            i: hashlib.sha256(b"".join(part.tobytes() for part in renderer.frame(i, clean))).hexdigest() for i in order
        }

    assert digest(list(range(0, 150, 7))) == digest(list(range(147, -1, -7)))


def test_boxes_are_tight(library: Library, clean: np.ndarray) -> None:
    element = _element(library, "player_status", animation="slide", enter=10, leave=10)
    renderer = PairRenderer(library[0], _row([element]))
    for i in (0, 4, 60, 147):
        ys, xs = np.nonzero(renderer.mask(i) >= MIN_VISIBLE_ALPHA)
        box = renderer.boxes(i)[0]
        assert box["visible"] == bool(len(ys))
        if len(ys):
            want = (xs.min(), ys.min(), xs.max() - xs.min() + 1, ys.max() - ys.min() + 1)
            assert (box["x"], box["y"], box["w"], box["h"]) == want


def test_popups_appear_and_leave(library: Library, clean: np.ndarray) -> None:
    element = _element(library, "subtitle", start=30, stop=60)
    renderer = PairRenderer(library[0], _row([element]))
    assert [renderer.boxes(i)[0]["visible"] for i in (0, 29, 30, 59, 60)] == [False, False, True, True, False]
    ui, mask = renderer.frame(10, clean)
    assert np.array_equal(ui, clean) and not mask.any()


def test_all_six_animations_draw_different_frames(library: Library, clean: np.ndarray) -> None:
    seen = set()
    for name in ("instant", "fade", "slide", "wipe_trail", "pop", "border_arc"):
        element = _element(library, "screen_notice", start=10, stop=60, animation=name, enter=9, leave=9)
        renderer = PairRenderer(library[0], _row([element]))
        seen.add(renderer.frame(13, clean)[0].tobytes())
        steady = renderer.mask(35)
        assert steady.any() and (name == "instant" or not np.array_equal(renderer.mask(13), steady))
    assert len(seen) == 6


def test_states_change_the_picture(library: Library) -> None:
    element = _element(library, "player_status", states=[[0, 1], [50, 8]])
    renderer, gray = PairRenderer(library[0], _row([element])), np.full((720, 1280, 3), 90, np.uint8)
    first, same, later = (renderer.frame(i, gray)[0] for i in (0, 49, 50))
    assert np.array_equal(first, same) and not np.array_equal(first, later)


@pytest.mark.parametrize("canvas", [(640, 360), (320, 180), (512, 288)])
def test_small_canvases_show_the_averaged_picture(
    library: Library, row: dict[str, Any], canvas: tuple[int, int]
) -> None:
    big, small = PairRenderer(library[0], row), PairRenderer(library[0], row, canvas=canvas)
    flat = np.full((720, 1280, 3), 120, np.uint8)
    for i in (70, 149):
        ui, mask = small.frame(i, np.full((canvas[1], canvas[0], 3), 120, np.uint8))
        big_ui, big_mask = big.frame(i, flat)
        assert np.abs(ui - cv2.resize(big_ui.astype(np.float32), canvas, interpolation=cv2.INTER_AREA)).mean() < 0.6
        assert np.abs(mask - cv2.resize(big_mask.astype(np.float32), canvas, interpolation=cv2.INTER_AREA)).mean() < 0.6
        for box, full in zip(small.boxes(i), big.boxes(i), strict=True):
            scale = canvas[0] / 1280
            if full["visible"] and full["w"] * scale > 6:
                assert box["x"] == pytest.approx(full["x"] * scale, abs=1.5)
                assert box["w"] == pytest.approx(full["w"] * scale, abs=2.5)


def test_misuse_is_named(library: Library, clean: np.ndarray) -> None:
    renderer = PairRenderer(library[0], _row([]))
    with pytest.raises(ValueError, match="clean frame must be uint8"):
        renderer.frame(0, clean[:100])
    with pytest.raises(IndexError, match="150"):
        renderer.frame(150, clean)
    with pytest.raises(FileNotFoundError, match="no asset picture"):
        PairRenderer(library[0], _row([_element(library, "subtitle", asset_id="absent")]))
