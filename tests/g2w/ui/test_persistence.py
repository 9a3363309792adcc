from __future__ import annotations

import numpy as np
import pytest

from g2w.ui.persistence import edge_stack, presence


def _frames(still: bool) -> list[tuple[int, np.ndarray]]:
    rng = np.random.default_rng(0)
    base = rng.integers(0, 255, (90, 160, 3), dtype=np.uint8)
    frames = []
    for k in range(20):
        frame = base.copy() if still else rng.integers(0, 255, (90, 160, 3), dtype=np.uint8)
        if k >= 5:
            frame[30:60, 40:80] = 255
        frames.append((3 * k, frame))
    return frames


def test_edges_that_stay_stand_out_of_a_changing_world() -> None:
    stack = edge_stack(_frames(still=False), bias=3.0, min_motion=4.0)
    assert len(stack.moving) == 20 and stack.frames[:3] == (0, 3, 6)
    length = np.hypot(*np.moveaxis(stack.resultant(range(5, 20)), -1, 0))
    assert length[35:55, 40].min() > 0.6
    assert np.percentile(length[:, 100:], 99) < 0.6


def test_presence_tells_when_the_element_was_shown() -> None:
    stack = edge_stack(_frames(still=False), bias=3.0, min_motion=4.0)
    ys, xs = np.arange(35, 55), np.full(20, 40)
    shown = presence(stack, stack.resultant(range(5, 20)), ys, xs)
    assert shown[:5].max() < 0.6 < shown[5:].min()


def test_a_still_world_is_not_counted_as_moving() -> None:
    assert edge_stack(_frames(still=True), bias=3.0, min_motion=4.0).moving in ((0,), (0, 5))
    with pytest.raises(ValueError, match="no frames"):
        edge_stack([], bias=3.0, min_motion=4.0)


def test_a_plate_dims_changes_and_scrolling_text_is_busy() -> None:
    rng = np.random.default_rng(0)
    frames = []
    for k in range(24):
        frame = rng.integers(0, 255, (18, 32, 3), dtype=np.uint8).repeat(20, 0).repeat(20, 1)
        frame[40:90, 40:160] = frame[40:90, 40:160] // 4
        frame[200:216, 100:400] = 30
        frame[200:216, 100:400].reshape(16, -1, 6, 3)[:, :, k % 6 : k % 6 + 3] = 250
        frames.append((k, frame))
    stack = edge_stack(iter(frames), bias=3.0, min_motion=4.0)
    lively, busy = stack.liveliness(), stack.busyness()
    assert lively[65, 100] < 0.5 and lively[120:180].mean() > 0.7
    assert busy[202:214, 120:380].mean() > 1.5 * busy[240:340].mean()
    assert stack.picture[65, 100] < 60 and stack.picture.shape == (360, 640)
