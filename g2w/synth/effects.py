"""What is done to an element's picture before it is laid over the world: parts, scaling filter, outline, shadow, glow.

Everything ends up in the picture's own alpha, so that masks and boxes need to know nothing about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cv2
import numpy as np
from PIL import Image

from g2w.synth.patches import box_blur, divide_255, scale_alpha, scale_patch

_RESAMPLING = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "lanczos": Image.Resampling.LANCZOS,
}


def padding(effects: Mapping[str, Sequence[int]]) -> int:
    """Pixels by which the effects reach beyond the picture on every side."""
    reach = [0]
    if "outline" in effects:
        reach.append(effects["outline"][0])
    if "glow" in effects:
        reach.append(2 * effects["glow"][0])
    if "shadow" in effects:
        dx, dy, radius = effects["shadow"][:3]
        reach.append(max(abs(dx), abs(dy)) + 2 * radius)
    return max(reach)


def dress(rgba: np.ndarray, spec: Mapping[str, Any], load: Callable[[str], np.ndarray]) -> tuple[np.ndarray, int]:
    """Picture of an element at 1280x720 with its parts and effects, and the padding they added on every side.

    Args:
        rgba: straight alpha uint8 (rows, columns, 4) of the shown state in the asset's own size.
        spec: element of a recipe row; reads w, h, opacity and, where given, parts, filter, effects.
        load: asset_id -> its picture (the parts of a recombined hotbar).
    """
    for part in spec.get("parts", ()):
        rgba = _attach(rgba, load(part["asset_id"]), part)
    rgba = resample(rgba, spec["w"], spec["h"], spec.get("filter", "area"))
    effects = spec.get("effects") or {}
    pad = padding(effects)
    if effects:
        rgba = _decorate(np.pad(rgba, ((pad, pad), (pad, pad), (0, 0))), effects)
    if spec["opacity"] < 255:
        rgba = scale_alpha(rgba, spec["opacity"])
    return rgba, pad


def resample(rgba: np.ndarray, width: int, height: int, name: str) -> np.ndarray:
    """The picture in another size by one of the scaling filters of the preset; alpha is premultiplied meanwhile.

    Raises:
        ValueError: for an unknown filter.
    """
    if rgba.shape[:2] == (height, width):
        return rgba
    if name == "area":
        return scale_patch(rgba, 0, 0, width, height).rgba
    if name not in _RESAMPLING:
        raise ValueError(f"scaling filter {name!r} is not known; use area or one of {tuple(_RESAMPLING)}")
    out = np.array(Image.fromarray(rgba, "RGBA").resize((width, height), _RESAMPLING[name]))
    out[out[..., 3] == 0] = 0
    return out


def over(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """`above` laid over `below`, both straight alpha uint8 (h, w, 4), rounded to the nearest value."""
    *colors, top = (plane.astype(np.float64) for plane in cv2.split(above))
    *under, bottom = (plane.astype(np.float64) for plane in cv2.split(below))
    weights = (255 * top, bottom * (255 - top))
    total = weights[0] + weights[1]
    # Whole numbers in floats, which divide faster, and exactly: a quotient is a whole number or 1 / 130,050 away from one.
    share = np.maximum(2 * total, 1)
    planes = [
        np.floor((2 * (a * weights[0] + b * weights[1]) + total) / share) for a, b in zip(colors, under, strict=True)
    ]
    return cv2.merge([plane.astype(np.uint8) for plane in (*planes, np.floor((2 * total + 255) / 510))])


def soften(alpha: np.ndarray, radius: int) -> np.ndarray:
    """Two box blurs of a coverage, uint8 (h, w), zero outside."""
    return box_blur(box_blur(alpha, radius, outside="constant"), radius, outside="constant")


def _attach(rgba: np.ndarray, picture: np.ndarray, part: Mapping[str, Any]) -> np.ndarray:
    """A part laid over its carrier at (x, y), scaled to (w, h) pixels of the carrier; it may not reach beyond it."""
    small = resample(picture, part["w"], part["h"], "area")
    x, y, out = part["x"], part["y"], rgba.copy()
    spot = out[y : y + small.shape[0], x : x + small.shape[1]]
    if x < 0 or y < 0 or spot.shape[:2] != small.shape[:2]:
        raise ValueError(f"part {part} reaches beyond its carrier of {rgba.shape[1]}x{rgba.shape[0]} pixels")
    spot[...] = over(spot, small)
    return out


def _decorate(rgba: np.ndarray, effects: Mapping[str, Sequence[int]]) -> np.ndarray:
    """From bottom to top: shadow, glow, outline, picture."""
    alpha = rgba[..., 3]
    layers = []
    if "shadow" in effects:
        dx, dy, radius, strength = effects["shadow"]
        layers.append(_plate(soften(np.roll(alpha, (dy, dx), (0, 1)), radius), (0, 0, 0), strength))
    if "glow" in effects:
        radius, *color, strength = effects["glow"]
        halo = np.minimum(soften(alpha, radius).astype(np.uint16) * 2, 255).astype(np.uint8)
        layers.append(_plate(halo, color, strength))
    if "outline" in effects:
        radius, *color = effects["outline"]
        layers.append(_plate(_grown(alpha, radius), color, 255))
    out, *rest = (*layers, rgba)
    out = np.where(out[..., 3:] == 0, np.uint8(0), out)
    for layer in rest:
        out = over(out, layer)
    return out


def _plate(cover: np.ndarray, color: Sequence[int], strength: int) -> np.ndarray:
    out = np.empty((*cover.shape, 4), np.uint8)
    out[..., :3] = np.asarray(color, np.uint8)
    out[..., 3] = divide_255(cover.astype(np.uint16) * np.uint16(strength)).astype(np.uint8)
    return out


def _grown(alpha: np.ndarray, radius: int) -> np.ndarray:
    """Largest value among the four neighbors and oneself, `radius` times; the padding leaves room for it."""
    for _ in range(radius):
        alpha = np.maximum.reduce([alpha, *(np.roll(alpha, step, axis) for axis in (0, 1) for step in (-1, 1))])
    return alpha
