from __future__ import annotations

import random

from g2w.synth.layout import HEIGHT, WIDTH, Placed, collides, overlap_share, place, zone_position
from g2w.ui.taxonomy import load_taxonomy


def _box(x: int, y: int, w: int = 100, h: int = 50, start: int = 0, stop: int = 150, cls: str = "inventory") -> Placed:
    return Placed(cls, x, y, w, h, start, stop)


def test_overlap_is_measured_on_the_smaller_box() -> None:
    assert overlap_share(_box(0, 0), _box(50, 0)) == 0.5
    assert overlap_share(_box(0, 0, 1000, 500), _box(10, 10)) == 1.0
    assert overlap_share(_box(0, 0), _box(100, 0)) == 0.0


def test_collision_uses_threshold_time_and_the_reticle_exception() -> None:
    assert collides(_box(0, 0), [_box(80, 0)], 0.14)
    assert not collides(_box(0, 0), [_box(87, 0)], 0.14)
    assert not collides(_box(0, 0, stop=50), [_box(0, 0, start=50)], 0.14)
    assert not collides(_box(0, 0, cls="damage_feedback"), [_box(0, 0, cls="crosshair")], 0.14)


def test_zone_positions_lie_in_their_third_of_the_screen() -> None:
    rng = random.Random(0)
    for zone, column, row in (("TL", 0, 0), ("TR", 2, 0), ("BL", 0, 2), ("BR", 2, 2), ("TC", 1, 0), ("BC", 1, 2)):
        for _ in range(50):
            x, y = zone_position(rng, "inventory", zone, 120, 60, 20, 6)
            assert 0 <= x <= WIDTH - 120 and 0 <= y <= HEIGHT - 60
            assert int((x + 60) / WIDTH * 3) == column and int((y + 30) / HEIGHT * 3) == row
    assert zone_position(rng, "crosshair", "C", 40, 40, 20, 6) == (620, 340)


def test_a_full_zone_moves_the_element_and_a_full_screen_drops_it() -> None:
    item = load_taxonomy()["weapon_ammo"]
    taken = [_box(1000, 500, 280, 220)]
    found = place(
        random.Random(1), item, _box(0, 0, 150, 60), taken, recorded=None, margin=20, jitter=4, threshold=0.14
    )
    assert found is not None and found[1] == "moved" and not collides(found[0], taken, 0.14)
    wall = [_box(0, 0, WIDTH, HEIGHT)]
    assert place(random.Random(1), item, _box(0, 0), wall, recorded=None, margin=20, jitter=4, threshold=0.14) is None


def test_the_recorded_position_is_kept_within_the_jitter() -> None:
    item = load_taxonomy()["weapon_ammo"]
    found = place(random.Random(2), item, _box(0, 0), [], recorded=(300, 200), margin=20, jitter=6, threshold=0.14)
    assert found is not None and found[1] == "recorded"
    assert abs(found[0].x - 300) <= 6 and abs(found[0].y - 200) <= 6
