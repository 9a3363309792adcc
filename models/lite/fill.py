"""Filling one region of one frame: look through what is translucent, continue the world over what is opaque."""

from __future__ import annotations

import cv2
import numpy as np

from models.lite.config import FillConfig
from models.lite.matting import Matte
from models.lite.smooth import extend

_DARK = 6.0  # gray levels added to both sides of a luma ratio, so that black does not divide by nothing
_SURE_PX = 12.0  # a smooth continuation is trusted less the farther it reaches


def luma(rgb: np.ndarray) -> np.ndarray:
    """BT.601 luma of RGB (..., 3), uint8 or float32, as float32 in 0..255."""
    return rgb @ np.array([0.299, 0.587, 0.114], np.float32)


def fill_region(
    crop: np.ndarray,
    inside: np.ndarray,
    matte: Matte | None,
    config: FillConfig,
    picture: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Replace what is inside the mask.

    Args:
        crop: uint8 RGB (h, w, 3).
        inside: bool (h, w); pixels outside keep their bytes.
        matte: inverse of the overlay, or None if it is not known.
        picture: what a model imagines, float32 (h, w, 3), brought to the colors around the mask (membrane interpolation, as
            in Poisson image editing); None = nothing but that interpolation.

    Returns:
        The filled crop, uint8 (h, w, 3), and the uncertainty, uint8 (h, w): 0 where the world was seen.
    """
    pixels = crop.astype(np.float32)
    base = np.zeros_like(pixels) if picture is None else picture
    smooth = base + extend(pixels - base, 1.0 - inside.astype(np.float32))
    filled, sight = smooth, np.zeros(inside.shape, np.float32)
    if matte is not None:
        sight = np.where(inside & (matte.transmission > 0), np.float32(config.trust), np.float32(0.0))
        filled = _see_through(luma(pixels), smooth, sight, inside, matte)
    weight = _feather(inside, config.feather_px)[..., None]
    mixed = np.clip(np.rint(pixels + weight * (filled - pixels)), 0, 255).astype(np.uint8)
    distance = cv2.distanceTransform(inside.astype(np.uint8), cv2.DIST_L2, 3) / _SURE_PX
    unsure = np.minimum(distance, 1.0) * (1.0 - sight)
    return np.where(inside[..., None], mixed, crop), np.rint(255.0 * unsure).astype(np.uint8)


def _see_through(
    gray: np.ndarray, smooth: np.ndarray, sight: np.ndarray, inside: np.ndarray, matte: Matte
) -> np.ndarray:
    """Smooth fill with the luma detail that shines through; opaque parts continue the detail around them."""
    seen = np.where(inside, matte.see_through(gray), gray)
    usable = np.where(inside, (sight > 0).astype(np.float32), np.float32(1.0))
    base = luma(smooth)
    detail = np.where(inside, sight, np.float32(1.0)) * (seen - base)
    detail = extend(detail, usable)
    # The chroma follows the luma: a texture of one material changes in brightness far more than in hue.
    ratio = (np.maximum(base + detail, 0.0) + _DARK) / (base + _DARK)
    return smooth * ratio[..., None]


def _feather(inside: np.ndarray, width_px: int) -> np.ndarray:
    """Weight of the fill: 1 deep inside, falling towards the mask's edge, 0 outside."""
    if width_px == 0:
        return inside.astype(np.float32)
    distance = cv2.distanceTransform(inside.astype(np.uint8), cv2.DIST_L2, 3)
    return np.minimum(distance / (width_px + 1), 1.0)
