"""OpenCV inpainting with given masks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.baselines import OpenCVInpaint


@pytest.mark.parametrize("method", ["telea", "ns"])
def test_holes_are_filled_from_around_them(method: str) -> None:
    ramp = np.repeat(np.linspace(40, 200, 120)[None, :, None], 80, axis=0).repeat(3, axis=2)
    truth = np.stack([ramp.astype(np.uint8)] * 2)
    frames, masks = truth.copy(), np.zeros((2, 80, 120), np.uint8)
    masks[0, 30:42, 20:50], masks[0, 40:50, 90:100] = 255, 90
    frames[masks > 5] = 255
    calls: list[tuple[int, int]] = []
    result = OpenCVInpaint(method).clean(frames, masks, progress=lambda *args: calls.append(args))
    assert calls == [(1, 2), (2, 2)]
    assert np.array_equal(result.frames[1], frames[1])
    assert np.abs(result.frames[0].astype(int) - truth[0])[masks[0] > 5].mean() < 8
    outside = result.mask == 0
    assert np.array_equal(result.frames[outside], frames[outside])
    grown = cv2.dilate((masks[0] > 5).astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    assert np.array_equal(result.mask[0] > 0, grown > 0)


def test_masks_are_needed() -> None:
    frames = np.zeros((1, 16, 16, 3), np.uint8)
    with pytest.raises(ValueError, match="masks="):
        OpenCVInpaint().clean(frames)
    with pytest.raises(ValueError, match="needs masks"):
        OpenCVInpaint().clean(frames, np.zeros((1, 8, 8), np.uint8))
    with pytest.raises(ValueError, match="method"):
        OpenCVInpaint("magic")
