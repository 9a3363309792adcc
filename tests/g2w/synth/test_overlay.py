from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from av.video.reformatter import VideoReformatter

from g2w.synth.overlay import Overlay, join
from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.synth.render import MIN_VISIBLE_ALPHA, PairRenderer
from g2w.video.read import iter_decoded, to_rgb
from g2w.video.write import to_yuv

Library = tuple[Path, list[dict[str, Any]]]


def planes(frame: av.VideoFrame) -> list[np.ndarray]:
    return [np.frombuffer(p, np.uint8).reshape(p.height, p.line_size)[:, : p.width].copy() for p in frame.planes]


@pytest.fixture(scope="module")
def rows(library: Library) -> list[dict[str, Any]]:
    """Pairs of every kind of effect: frosted panels, glow, motion, pop-ups."""
    clip = [{"clip_id": "c", "game": "MAP01", "split": "train", "num_frames": 24}]
    appearance = replace(SynthConfig().appearance, frosted_rate=0.4)
    config = SynthConfig(num_frames=20, control_rate=0.0, appearance=appearance)
    found = sample_recipes(clip, library[1], count=12, seed=9, split="train", config=config)
    assert any('"frost"' in row["elements"] for row in found)
    return found


def test_laid_into_video_is_laid_into_rgb_and_converted(
    library: Library, clean_clip: Path, rows: list[dict[str, Any]]
) -> None:
    decoded = list(iter_decoded(clean_clip))
    for row in rows:
        renderer = PairRenderer(library[0], row)
        overlay, start = Overlay(renderer), row["start_frame"]
        for i in (0, 7, 8, 19):
            clean = decoded[start + i]
            before = planes(clean)
            laid = planes(overlay.lay(i, clean))
            assert all(np.array_equal(a, b) for a, b in zip(planes(clean), before, strict=True))
            ui, mask = renderer.frame(i, to_rgb(clean))
            whole = planes(to_yuv(ui, VideoReformatter()))
            chroma = mask.reshape(360, 2, 640, 2).max(axis=(1, 3))
            for got, source, converted, touched in zip(laid, before, whole, (mask, chroma, chroma), strict=True):
                assert np.array_equal(got[touched == 0], source[touched == 0])
                assert np.array_equal(got[touched != 0], converted[touched != 0])


def test_a_clip_of_another_size_or_format_is_refused_or_converted(
    library: Library, clean_clip: Path, rows: list[dict[str, Any]]
) -> None:
    overlay = Overlay(PairRenderer(library[0], rows[0]))
    with pytest.raises(ValueError, match="the clip is 640x360, the pair is drawn at 1280x720"):
        overlay.lay(0, av.VideoFrame(640, 360, "yuv420p"))
    clean = next(iter_decoded(clean_clip))
    rgb = av.VideoFrame.from_ndarray(to_rgb(clean), format="rgb24")
    laid = overlay.lay(0, rgb)
    assert (laid.format.name, int(laid.colorspace), int(laid.color_range)) == ("yuv420p", 1, 1)


def test_ids_name_the_topmost_visible_element(library: Library, rows: list[dict[str, Any]]) -> None:
    row = max(rows, key=lambda row: row["num_elements"])
    renderer = PairRenderer(library[0], row)
    for i in (3, 12):
        ids, boxes = renderer.ids(i), renderer.boxes(i)
        assert set(np.unique(ids)) <= {0, *(k for k, box in enumerate(boxes, 1) if box["visible"])}
        assert not ids[renderer.mask(i) < MIN_VISIBLE_ALPHA].any()
        top = max(k for k, box in enumerate(boxes, 1) if box["visible"])
        box = boxes[top - 1]
        ys, xs = np.nonzero(ids == top)
        assert (xs.min(), ys.min()) == (box["x"], box["y"])
        assert (xs.max() + 1, ys.max() + 1) == (box["x"] + box["w"], box["y"] + box["h"])


def test_the_cover_stays_the_same_object_while_nothing_moves_and_is_empty_beyond_its_reach(
    library: Library, rows: list[dict[str, Any]]
) -> None:
    same = 0
    for row in rows:
        renderer = PairRenderer(library[0], row)
        covers = [renderer.cover(i) for i in range(20)]
        for cover in covers:
            outside = cover.mask.copy()
            for x, y, w, h in cover.reach:
                outside[y : y + h, x : x + w] = 0
            assert not outside.any()
        same += sum(a is b for a, b in itertools.pairwise(covers))
    assert same > 40


@pytest.mark.parametrize("seed", range(20))
def test_joined_boxes_cover_all_and_do_not_overlap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = [tuple(int(v) for v in (*rng.integers(0, 600, 2), *rng.integers(1, 200, 2))) for _ in range(12)]
    joined = join(boxes)
    count, wanted = np.zeros((800, 800), int), np.zeros((800, 800), bool)
    for x, y, w, h in joined:
        count[y : y + h, x : x + w] += 1
    for x, y, w, h in boxes:
        wanted[y : y + h, x : x + w] = True
    assert count.max() == 1 and (count[wanted] == 1).all()
