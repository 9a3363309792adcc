from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import vizdoom

from g2w.footage.walls import FAR, clearance, load_walls

ROOM = np.array([[0, 0, 100, 0], [100, 0, 100, 80], [100, 80, 0, 80], [0, 80, 0, 0]], float)
FREEDOOM = Path(vizdoom.__file__).parent / "freedoom1.wad"


def test_clearance_in_a_room() -> None:
    assert clearance(ROOM, 30, 40, 0) == pytest.approx(70)
    assert clearance(ROOM, 30, 40, 90) == pytest.approx(40)
    assert clearance(ROOM, 30, 40, 180 + 360) == pytest.approx(30)
    assert clearance(ROOM, 30, 40, 45) == pytest.approx(40 * 2**0.5)
    assert clearance(np.zeros((0, 4)), 0, 0, 0) == FAR


def test_shoulders_need_room_too() -> None:
    post = np.array([[50, 10, 60, 10], [50, 10, 50, 20]], float)
    assert clearance(post, 0, 0, 0) == FAR
    assert clearance(post, 0, 0, 0, width=16) == pytest.approx(50)


def test_a_real_map_is_read() -> None:
    walls = load_walls(FREEDOOM, "E1M1")
    assert walls.shape[1] == 4 and 300 < len(walls) < 3000
    assert np.abs(walls).max() < 32768 and np.ptp(walls[:, 0]) > 1000
    with pytest.raises(ValueError, match="no map MAP01"):
        load_walls(FREEDOOM, "MAP01")
