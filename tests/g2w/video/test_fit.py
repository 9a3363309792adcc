from __future__ import annotations

import av
import numpy as np
import pytest
from av.video.reformatter import VideoReformatter

from g2w.video.fit import fit_frame, plan_fit

CANVAS = (1280, 720)


@pytest.mark.parametrize(
    ("size", "policy", "inner", "corner", "used"),
    [
        ((1920, 1080), "fit", (1280, 720), (0, 0), "fit"),
        ((321, 181), "fit", (1280, 720), (0, 0), "fit"),
        ((1024, 768), "fit", (960, 720), (160, 0), "pad"),
        ((1024, 768), "crop", (1280, 960), (0, -120), "crop"),
        ((180, 320), "pad", (404, 720), (438, 0), "pad"),
        ((2560, 1080), "crop", (1706, 720), (-213, 0), "crop"),
    ],
)
def test_plans(size, policy, inner, corner, used) -> None:
    fit = plan_fit(*size, CANVAS, policy)
    assert (fit.inner, (fit.placement.left, fit.placement.top), fit.policy) == (inner, corner, used)


@pytest.mark.parametrize("policy", ["fit", "crop", "pad"])
@pytest.mark.parametrize("size", [(320, 240), (640, 270), (180, 320), (321, 181)])
def test_a_marked_point_lands_where_the_placement_says(size, policy) -> None:
    width, height = size
    rgb = np.full((height, width, 3), 60, np.uint8)
    x, y = width // 2 + 20, height // 2 - 20
    rgb[y - 6 : y + 6, x - 6 : x + 6] = 250
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
    out = fit_frame(frame, 1.0, CANVAS, policy, VideoReformatter())
    assert out.shape == (720, 1280, 3)
    place = plan_fit(width, height, CANVAS, policy).placement
    rows, columns = np.nonzero(out[..., 0] > 200)
    assert abs(columns.mean() + 0.5 - (x * place.scale_x + place.left)) < 2
    assert abs(rows.mean() + 0.5 - (y * place.scale_y + place.top)) < 2


def test_sample_aspect_ratio_is_undone() -> None:
    frame = av.VideoFrame.from_ndarray(np.full((320, 180, 3), 200, np.uint8), format="rgb24")
    out = fit_frame(frame, 16 / 9, CANVAS, "pad", VideoReformatter())
    bright = np.flatnonzero(out[360, :, 0] > 100)
    assert (bright[0], bright[-1]) == (280, 999)  # 320 x 320 becomes 720 x 720
