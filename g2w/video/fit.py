"""From any picture to the canonical canvas: square pixels, upright, one of three policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import av
import cv2
import numpy as np
from av.video.reformatter import VideoReformatter

from g2w.video.aligned import Placement
from g2w.video.read import quarter_turns_of, to_rgb

Policy = Literal["fit", "crop", "pad"]
SAME_SHAPE = 0.02


@dataclass(frozen=True)
class Fit:
    """How a picture of (width, height) square pixels is laid on a canvas; `inner` is its scaled size, even in both
    sides.
    """

    inner: tuple[int, int]
    placement: Placement
    policy: Policy


def plan_fit(width: int, height: int, canvas: tuple[int, int], policy: Policy) -> Fit:
    """Lay a picture on a canvas.

    `fit` stretches what already has the canvas's shape to within 2 % and pads the rest; `pad` keeps the shape and adds
    black bars; `crop` keeps the shape and fills the canvas. The placement maps upright square source pixels to canvas
    ones.
    """
    wide, high = canvas[0] / width, canvas[1] / height
    if policy == "fit" and abs(wide / high - 1) <= SAME_SHAPE:
        return Fit(canvas, Placement(wide, high, 0, 0), "fit")
    scale = max(wide, high) if policy == "crop" else min(wide, high)
    inner = (max(2, 2 * round(width * scale / 2)), max(2, 2 * round(height * scale / 2)))
    left, top = (canvas[0] - inner[0]) // 2, (canvas[1] - inner[1]) // 2
    return Fit(inner, Placement(inner[0] / width, inner[1] / height, left, top), "crop" if policy == "crop" else "pad")


def fit_frame(
    frame: av.VideoFrame, sar: float, canvas: tuple[int, int], policy: Policy, reformatter: VideoReformatter
) -> np.ndarray:
    """A decoded frame as uint8 RGB of exactly the canvas's size (width, height)."""
    width, height = max(1, round(frame.width * sar)), frame.height
    if quarter_turns_of(frame) % 2:
        width, height = height, width
    fit = plan_fit(width, height, canvas, policy)
    rgb = to_rgb(frame, fit.inner, reformatter)
    if fit.inner == canvas:
        return rgb
    left, top = fit.placement.left, fit.placement.top
    if fit.policy == "crop":
        return np.ascontiguousarray(rgb[-top : canvas[1] - top, -left : canvas[0] - left])
    right, bottom = canvas[0] - fit.inner[0] - left, canvas[1] - fit.inner[1] - top
    return cv2.copyMakeBorder(rgb, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(0, 0, 0))
