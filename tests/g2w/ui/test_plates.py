from __future__ import annotations

import numpy as np
import pytest

from g2w.ui.plates import PlateConfig, find_plates, grow_tape

CONFIG = PlateConfig()


def _world() -> np.ndarray:
    return np.random.default_rng(0).uniform(0.8, 1.2, (360, 640)).astype(np.float32)


def test_a_plate_is_found_whole_also_around_a_lively_map() -> None:
    world = _world()
    world[300:340, 20:180] = 0.4
    world[20:90, 500:570] = 0.2
    world[35:75, 515:555] = 1.4  # the map scrolls
    plates = find_plates(world, CONFIG)
    assert plates.boxes == ((20, 300, 180, 340), (500, 20, 570, 90))
    ys, xs = np.array([310, 320, 298]), np.array([30, 60, 100])
    assert plates.under(ys, xs, 0.6) == 1, "its border stands just outside"
    assert plates.under(np.array([310, 100, 100]), np.array([30, 30, 40]), 0.6) == 0


def test_a_calm_sky_and_a_ragged_shape_are_no_plates() -> None:
    world = _world()
    world[:120] = 0.1
    for k in range(60):  # a staircase
        world[200 + k : 206 + k, 200 + k : 206 + k] = 0.1
    assert find_plates(world, CONFIG).boxes == ()


def test_a_tape_grows_over_its_busy_side_only() -> None:
    busy = np.full((360, 640), 0.3, np.float32)
    line = (210, 20, 430, 25)
    assert grow_tape(line, busy, CONFIG) == line
    busy[8:19, 210:430] = 0.5
    assert grow_tape(line, busy, CONFIG) == (210, 8, 430, 25)
    assert grow_tape((210, 20, 250, 25), busy, CONFIG) == (210, 20, 250, 25), "too short for a tape"
    assert grow_tape((0, 20, 640, 25), busy, CONFIG) == (0, 20, 640, 25), "nothing beside it to compare with"


def test_thresholds_are_checked() -> None:
    with pytest.raises(ValueError, match="tape_contrast"):
        PlateConfig(tape_contrast=1.0)
