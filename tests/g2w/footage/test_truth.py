from __future__ import annotations

import numpy as np
import pytest

from g2w.footage.truth import TwinError, element_boxes, verify_twin
from g2w.footage.widgets import Element

ELEMENT = Element("x", "other_hud", (0, 0, 100, 100))


def test_boxes_are_tight_and_say_what_is_hidden() -> None:
    hidden = np.zeros((200, 300, 3), np.uint8)
    shown = hidden.copy()
    shown[10:14, 20:30, 1] = 3
    shown[90, 90] = 2  # below what an eye could see
    row = {"frame_index": 7, "element_id": "x", "cls": "other_hud", "x": 20, "y": 10, "w": 10, "h": 4, "visible": True}
    assert element_boxes(7, shown, hidden, (ELEMENT,)) == [row]
    away = element_boxes(7, hidden, hidden, (ELEMENT,))[0]
    assert (away["x"], away["w"], away["h"], away["visible"]) == (0, 0, 0, False)
    assert shown[10, 20, 1] == 3, "the pictures are not changed"


def test_one_grey_level_outside_is_no_twin() -> None:
    hidden = np.zeros((200, 300, 3), np.uint8)
    shown = hidden.copy()
    shown[150, 160, 2] = 1
    with pytest.raises(TwinError, match="frame 0: 1 pixels differ outside the HUD, first at x 160, y 150"):
        verify_twin([shown], [hidden], (ELEMENT,))
    with pytest.raises(TwinError, match="different numbers"):
        verify_twin([hidden, hidden], [hidden], (ELEMENT,))
    with pytest.raises(TwinError, match="frame 0: one picture is"):
        verify_twin([hidden], [hidden[:100]], (ELEMENT,))
