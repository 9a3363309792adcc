from __future__ import annotations

import math

import pytest

from g2w.ui.coordinates import SENT_SIZE, Coordinates, convention_of, is_other_convention, to_pixels
from g2w.ui.detector import DetectReason

MILLE, PIXEL, UNIT = Coordinates.PER_MILLE, Coordinates.PIXEL, Coordinates.UNIT


@pytest.mark.parametrize(
    ("box", "unit"),
    [((250, 500, 500, 750), MILLE), ((322, 364, 644, 546), PIXEL), ((0.25, 0.5, 0.5, 0.75), UNIT)],
)
def test_all_units_name_the_same_place(box, unit) -> None:
    assert to_pixels(box, unit) == (320, 360, 320, 180)


@pytest.mark.parametrize(
    ("box", "reason"),
    [
        ((0, 0, 1200, 100), DetectReason.BOX_OUT_OF_RANGE),
        ((-50, 0, 100, 100), DetectReason.BOX_OUT_OF_RANGE),
        ((300, 0, 100, 100), DetectReason.BOX_INVERTED),
        ((0, 300, 100, 100), DetectReason.BOX_INVERTED),
        ((100, 100, 100, 200), DetectReason.BOX_TOO_SMALL),
        ((0, 0, 1000, 1000), DetectReason.BOX_TOO_LARGE),
        ((math.nan, 0, 100, 100), DetectReason.BAD_ELEMENT),
        ((0, 0, math.inf, 100), DetectReason.BAD_ELEMENT),
    ],
)
def test_what_is_no_box_has_a_reason(box, reason) -> None:
    assert to_pixels(box, MILLE) is reason


def test_a_corner_a_hair_outside_is_cut_back() -> None:
    assert to_pixels((-5, 900, 200, 1008), MILLE) == (0, 648, 256, 72)


@pytest.mark.parametrize(
    ("boxes", "unit", "other"),
    [
        ([(10, 10, 90, 90), (1100, 10, 1270, 90)], MILLE, True),  # pixels
        ([(0.1, 0.1, 0.3, 0.9)], MILLE, True),  # shares
        ([(10, 10, 90, 90)], UNIT, True),
        ([(10, 800, 90, 990)], PIXEL, True),  # thousandths: below the picture's lower edge
        ([(0, 0, 990, 990)], MILLE, False),
        ([(0, 0, 1280, 720)], PIXEL, False),
        ([(0, 0, 5000, 5000)], MILLE, False),  # nonsense in any unit: judged box by box
        ([(0.0, 0.1, 1.0, 0.2)], UNIT, False),
        ([(math.nan, 0, 0, 0)], MILLE, False),
        ([], MILLE, False),
    ],
)
def test_a_reply_in_another_unit_is_noticed_as_a_whole(boxes, unit, other) -> None:
    assert is_other_convention(boxes, unit) is other


def test_models_are_asked_in_the_unit_they_know() -> None:
    assert convention_of("Qwen/Qwen2.5-VL-7B-Instruct") is PIXEL
    assert convention_of("qwen3-vl-8b") is MILLE and convention_of("some/model") is MILLE
    assert str(SENT_SIZE[0]) in PIXEL.words and "1000" in MILLE.words
    assert all(side % 28 == 0 for side in SENT_SIZE), "else the server resizes and pixels lose their meaning"
