"""Frosted panels: the world behind them is blurred. Whole-number arithmetic, the same pixels everywhere."""

from __future__ import annotations

import numpy as np

from g2w.synth.patches import Blender, box_blur

_GAIN = 3


def frost_shape(alpha: np.ndarray) -> np.ndarray:
    """How much of the backdrop a panel of this alpha blurs, uint16 (h, w) 0..255: all of it from a third on."""
    return np.minimum(alpha.astype(np.uint16) * _GAIN, 255).astype(np.uint16)


def lay_frost(
    picture: np.ndarray, x: int, y: int, shape: np.ndarray, sharp: np.ndarray, radius: int, blender: Blender
) -> None:
    """Blur `picture`, uint8 (height, width, 3), in place where `shape`, uint16 (h, w, 3) 0..255, lies at (x, y).

    Every pixel becomes round((blurred * shape + before * sharp) / 255), where `sharp` is 255 - shape; the blur sees the
    surroundings too.
    """
    h, w = shape.shape[:2]
    y0, x0 = max(0, y - 2 * radius), max(0, x - 2 * radius)
    around = picture[y0 : y + h + 2 * radius, x0 : x + w + 2 * radius]
    soft = box_blur(box_blur(around, radius), radius)[y - y0 : y - y0 + h, x - x0 : x - x0 + w]
    blender.blend(picture[y : y + h, x : x + w], soft * shape, sharp)
