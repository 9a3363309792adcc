from __future__ import annotations

import pytest

from g2w.ui.draw import draw_asset
from g2w.ui.prior import guess_class, zone_of


@pytest.mark.parametrize(
    ("box", "cls"),
    [
        ((625, 345, 32, 32), "crosshair"),
        ((636, 356, 8, 8), "crosshair"),
        ((1100, 30, 150, 150), "map_radar"),
        ((24, 618, 280, 84), "player_status"),
        ((1106, 632, 150, 64), "weapon_ammo"),
        ((430, 18, 420, 30), "navigation_compass"),
    ],
)
def test_typical_boxes_are_named(box: tuple[int, int, int, int], cls: str) -> None:
    guess, confidence = guess_class(*box)
    assert guess == cls and 0.3 < confidence <= 1


def test_passing_elements_lean_to_popups() -> None:
    asset = draw_asset("subtitle", "a", 0, 1)
    box = ((1280 - asset.width) / 2, 600, asset.width, asset.height)
    assert guess_class(*box, transient=True)[0] == "subtitle"


def test_zones_are_thirds() -> None:
    assert [zone_of(*box) for box in ((0, 0, 10, 10), (600, 300, 80, 80), (1200, 650, 80, 70), (600, 700, 9, 9))] == [
        "TL",
        "C",
        "BR",
        "BC",
    ]


def test_text_tells_a_task_list_from_a_status_panel() -> None:
    box = (26, 133, 184, 73)
    assert guess_class(*box, text=0.3)[0] == "objective_tracker"
    assert guess_class(*box, text=0.0)[0] != "objective_tracker"
