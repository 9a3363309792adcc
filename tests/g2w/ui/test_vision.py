from __future__ import annotations

import numpy as np
import pytest

from g2w.ui.vision import VisionRequest


def test_pixels_and_identity_address_a_question() -> None:
    image = np.zeros((2, 3, 3), np.uint8)
    request = VisionRequest("s", "p", image, {})
    assert request.sha256({"m": 1}) == VisionRequest("s", "p", image.copy(), {}).sha256({"m": 1})
    assert request.sha256({"m": 1}) != request.sha256({"m": 2})


@pytest.mark.parametrize("image", [np.zeros((2, 3), np.uint8), np.zeros((2, 3, 3)), np.zeros((0, 3, 3), np.uint8)])
def test_only_rgb_pictures_are_sent(image) -> None:
    with pytest.raises(ValueError, match="uint8"):
        VisionRequest("s", "p", image, {})
