"""R, its ring, and the background."""

from __future__ import annotations

import numpy as np

from g2w.bench.judge import Scene, SceneElement
from g2w.bench.regions import background_of, region_of


def test_region_grows_by_six_and_its_ring_is_three_on_either_side() -> None:
    region = region_of(SceneElement("a", "crosshair", (100, 200, 30, 20)))
    canvas, ring = np.zeros((720, 1280), bool), np.zeros((720, 1280), bool)
    canvas[region.slices], ring[region.slices] = region.inside, region.ring
    assert canvas[205, 94] and not canvas[205, 93] and canvas[225, 110] and not canvas[226, 110]
    assert not canvas[194, 94]  # grown by a disk: corners are round
    assert ring[205, 91] and not ring[205, 90] and ring[205, 96] and not ring[205, 97]


def test_a_mask_smaller_than_its_box_decides() -> None:
    mask = np.zeros((40, 60), np.uint8)
    mask[18:22, 28:32] = 255
    region = region_of(SceneElement("a", "crosshair", (0, 0, 60, 40), mask))
    assert (region.top, region.left) == (0, 0)
    assert region.inside[20, 22] and not region.inside[20, 21] and not region.inside[2, 2]


def test_background_keeps_sixteen_pixels_off_every_box(scene: Scene) -> None:
    more = Scene(scene.source, scene.clean, scene.elements[:1], ignored=((1260, 700, 20, 20),))
    background = background_of(more)
    x, y, w, _ = scene.elements[0].box
    assert background[y + 5, x + w + 15] == 0 and background[y + 5, x + w + 16] == 255
    assert background[710, 1270] == 0 and background[683, 1270] == 255
