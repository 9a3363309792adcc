from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from g2w.synth.config import AppearanceGroup, MotionGroup, SynthConfig
from g2w.synth.effects import dress
from g2w.synth.motion import Hud, at
from g2w.synth.patches import box_blur
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


def _reference(library: Library, row: dict[str, Any], i: int, clean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The whole picture, layer by layer, in 64-bit integers: slow, and written from the definition."""
    hud, out = Hud(json.loads(row["look"])), clean.astype(np.int64)
    cover = np.zeros(clean.shape[:2], np.int64)

    def load(asset_id: str) -> np.ndarray:
        return np.asarray(Image.open(library[0] / "png" / f"{asset_id}.png").convert("RGBA"))

    for e in json.loads(row["elements"]):
        shown, dx, dy, level = hud.at(e["cls"], i)
        if not e["start"] <= shown < e["stop"] or not level:
            continue
        strip, state = load(e["asset_id"]), at(e["states"], shown)[0]
        rows = len(strip) // e["num_states"]
        rgba, pad = dress(strip[state * rows : (state + 1) * rows], e, load)
        px, py = at(e.get("path", [[0, 0, 0]]), shown)
        x, y = e["x"] + dx + px - pad, e["y"] + dy + py - pad
        canvas = np.zeros((720 + 400, 1280 + 400, 4), np.int64)
        canvas[y + 200 : y + 200 + rgba.shape[0], x + 200 : x + 200 + rgba.shape[1]] = rgba
        layer = canvas[200:-200, 200:-200]
        alpha = (2 * layer[..., 3] * level + 255) // 510
        if e.get("frost"):
            frost = np.minimum(3 * alpha, 255)
            soft = box_blur(box_blur(out.astype(np.uint8), e["frost"]), e["frost"]).astype(np.int64)
            out = (2 * (soft * frost[..., None] + out * (255 - frost[..., None])) + 255) // 510
            alpha_cover = 255 - (2 * (255 - frost) * (255 - alpha) + 255) // 510
        else:
            alpha_cover = alpha
        out = (2 * (layer[..., :3] * alpha[..., None] + out * (255 - alpha[..., None])) + 255) // 510
        cover += (2 * (255 - cover) * alpha_cover + 255) // 510
    return out.astype(np.uint8), cover.astype(np.uint8)


def test_randomized_pairs_equal_the_definition(
    library: Library, clips: list[dict[str, Any]], clean: np.ndarray
) -> None:
    config = SynthConfig(
        control_rate=0.0,
        appearance=AppearanceGroup(frosted_rate=0.4, glow_rate=0.5, shadow_rate=0.5, outline_rate=0.5),
        motion=MotionGroup(sway_rate=0.6, shake_rate=0.6, slow_rate=0.6, transition_rate=0.5),
    )
    rows = sample_recipes(clips, library[1], count=14, seed=2, split="train", config=config)
    frosted, compared = 0, 0
    for row in rows:
        renderer = PairRenderer(library[0], row)
        elements = json.loads(row["elements"])
        frosted += sum("frost" in e for e in elements)
        for i in (0, 75, 149):
            # animations have their own tests; here every element must be steady (a slow interface holds up to 2 frames)
            if any(e["start"] <= i < e["stop"] + 2 and e["animation"] != "instant" for e in elements):
                continue
            compared += 1
            want_ui, want_mask = _reference(library, row, i, clean)
            ui, mask = renderer.frame(i, clean)
            assert np.array_equal(ui, want_ui), (row["pair_id"], i)
            assert np.array_equal(mask, want_mask), (row["pair_id"], i)
            for box, e in zip(renderer.boxes(i), elements, strict=True):
                single = PairRenderer(library[0], {**row, "elements": json.dumps([e])}).mask(i)
                ys, xs = np.nonzero(single >= MIN_VISIBLE_ALPHA)
                want = (xs.min(), ys.min(), xs.max() - xs.min() + 1, ys.max() - ys.min() + 1) if len(ys) else (0,) * 4
                assert (box["x"], box["y"], box["w"], box["h"]) == want
    assert frosted > 4 and compared > 8


def test_another_process_draws_the_same_pixels(library: Library, row: dict[str, Any], clean: np.ndarray) -> None:
    script = (
        "import hashlib, json, sys, numpy as np\n"
        "from g2w.synth.render import PairRenderer\n"
        "clean = np.random.default_rng(0).integers(0, 256, (720, 1280, 3), dtype=np.uint8)\n"
        "renderer = PairRenderer(sys.argv[1], json.loads(sys.argv[2]))\n"
        "parts = [part.tobytes() for i in (0, 60, 149) for part in renderer.frame(i, clean)]\n"
        "print(hashlib.sha256(b''.join(parts)).hexdigest())\n"
    )
    env = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(library[0]), json.dumps(row)],
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    renderer = PairRenderer(library[0], row)
    parts = [part.tobytes() for i in (0, 60, 149) for part in renderer.frame(i, clean)]
    assert done.stdout.strip() == hashlib.sha256(b"".join(parts)).hexdigest()


def test_a_put_away_interface_leaves_the_clean_frame(library: Library, clean: np.ndarray) -> None:
    look = json.dumps({"away": [[0, 255], [10, 0], [20, 255]]})
    renderer = PairRenderer(library[0], {**_row([_element(library, "player_status")]), "look": look})
    for i, there in ((9, True), (10, False), (19, False), (20, True)):
        ui, mask = renderer.frame(i, clean)
        assert mask.any() == there == (not np.array_equal(ui, clean)) == renderer.boxes(i)[0]["visible"]


@pytest.mark.parametrize("frost", [0, 5])
def test_what_moves_off_the_canvas_leaves_the_clean_frame(library: Library, clean: np.ndarray, frost: int) -> None:
    path = [[0, 0, 0], [5, 2000, 0], [6, -3000, -2000], [7, 0, 0]]
    renderer = PairRenderer(library[0], _row([_element(library, "player_status", path=path, frost=frost)]))
    there = renderer.frame(0, clean)
    for i in (5, 6):
        ui, mask = renderer.frame(i, clean)
        assert np.array_equal(ui, clean) and not mask.any() and not renderer.ids(i).any()
        assert not renderer.boxes(i)[0]["visible"]
    again = renderer.frame(7, clean)
    assert np.array_equal(there[0], again[0]) and np.array_equal(there[1], again[1])
    cut = [[0, 0, 0], [1, -int(there[1].any(axis=0).argmax()) - 9, 0]]  # nine columns stand out on the left
    spec = _element(library, "player_status", path=cut, frost=frost)
    ui, mask = PairRenderer(library[0], _row([spec])).frame(1, clean)
    assert mask[:, 0].any() and mask.any(axis=0).sum() < there[1].any(axis=0).sum()


def test_misuse_is_named(library: Library, clean: np.ndarray) -> None:
    renderer = PairRenderer(library[0], _row([]))
    with pytest.raises(ValueError, match="clean frame must be uint8"):
        renderer.frame(0, clean[:100])
    with pytest.raises(IndexError, match="150"):
        renderer.frame(150, clean)
    with pytest.raises(FileNotFoundError, match="no asset picture"):
        PairRenderer(library[0], _row([_element(library, "subtitle", asset_id="absent")]))
