"""Looking through translucent interface: a static overlay is an affine map of the world behind it, and can be undone.

With opacity a and color f a pixel shows d_t = (1 - a) c_t + a f. Over time its spread shrinks by the transmission
k = 1 - a, and its median moves to k median(c) + a f. Spread and median of c are known around the overlay and vary slowly,
so k and the inverse map follow for every pixel (the idea of Dekel et al., "On the effectiveness of visible watermarks",
CVPR 2017, with time in place of a collection of pictures). Luma only: video codecs keep too little of a dimmed picture's
chroma for a division to be of use.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from models.lite.smooth import extend

_NOISE = 0.8  # gray levels of spread that the encoder alone gives a static pixel
_SMOOTH_PX = 9
_MAX_TRANSMISSION = 0.92


@dataclass(frozen=True)
class Matte:
    """The inverse of an overlay in one crop.

    Attributes:
        gain: float32 (h, w), 1 / k.
        offset: float32 (h, w); the world's luma is gain * luma + offset.
        transmission: float32 (h, w), k in [0, 1]; 1 outside the mask, 0 where the overlay cannot be looked through.
    """

    gain: np.ndarray
    offset: np.ndarray
    transmission: np.ndarray

    def see_through(self, luma: np.ndarray) -> np.ndarray:
        """Luma of the world behind the overlay, float32 (h, w) in 0..255; junk where the transmission is 0."""
        return np.clip(luma * self.gain + self.offset, 0.0, 255.0)


def estimate_matte(stack: np.ndarray, inside: np.ndarray, *, min_transmission: float, min_spread: float) -> Matte:
    """Matte of a crop from frames in which the overlay is there.

    Args:
        stack: luma float32 (n, h, w) in 0..255, the crop at n moments.
        inside: bool (h, w), the interface; there must be some world around it in the crop.
        min_transmission: below this k a pixel counts as opaque.
        min_spread: gray levels that the world must change by around the overlay, or nothing can be told.
    """
    middle = np.median(stack, axis=0).astype(np.float32)
    spread = np.abs(stack - middle).mean(axis=0)
    spread = np.sqrt(np.maximum(spread**2 - _NOISE**2, 0.0)).astype(np.float32)
    # The rim of the mask is anti-aliased: only pixels a little outside are sure to be world.
    known = 1.0 - cv2.dilate(inside.astype(np.float32), np.ones((5, 5), np.uint8))
    world_spread, world_middle = extend(spread, known), extend(middle, known)
    raw = np.clip(spread / np.maximum(world_spread, 1e-3), 0.0, 1.5)
    transmission = _smooth_transmission(raw, inside, min_transmission)
    transmission[world_spread < min_spread] = 0.0
    transmission[~inside] = 1.0
    gain = 1.0 / np.maximum(transmission, min_transmission)
    offset = np.where(inside, world_middle - middle * gain, 0.0)
    return Matte(gain.astype(np.float32), offset.astype(np.float32), transmission.astype(np.float32))


def _smooth_transmission(raw: np.ndarray, inside: np.ndarray, lowest: float) -> np.ndarray:
    """k averaged over the see-through pixels near by; 0 where the overlay is opaque or its own content moves."""
    clear = (inside & (raw > lowest) & (raw < _MAX_TRANSMISSION)).astype(np.float32)
    # An anti-aliased rim between opaque and clear is neither: leave one pixel out.
    clear = cv2.erode(clear, np.ones((3, 3), np.uint8))
    size = (_SMOOTH_PX, _SMOOTH_PX)
    weight = cv2.blur(clear, size)
    mean = cv2.blur(raw * clear, size) / np.maximum(weight, 1e-6)
    return np.where(clear > 0, mean, 0.0).astype(np.float32)
