"""Looking through translucent interface: a static overlay is an affine map of the world behind it, and can be undone.

With opacity a and color f a pixel shows d_t = (1 - a) c_t + a f. Its changes from moment to moment shrink by the
transmission k = 1 - a, and its median moves to k median(c) + a f. Changes and median of c are known around the overlay
and vary slowly, so k and the inverse map follow for every pixel (the idea of Dekel et al., "On the effectiveness of
visible watermarks", CVPR 2017, with time in place of a collection of pictures). k also shows where the overlay ends:
where it is 1 there is only world. Luma only: codecs keep too little of a dimmed picture's chroma for a division.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from models.lite.smooth import extend

_NOISE = 0.8  # gray levels by which the encoder alone changes a static pixel
_SMOOTH_PX = 9
_PANEL_PX = 5
_MAX_TRANSMISSION = 0.92
_ACTIVE_QUANTILE = 0.6  # counters and bars change seldom: below this share of the moments their pixels count as static
_CORE_RATIO = 0.75  # with less than this share of the world's activity a pixel is interface beyond doubt
_MIN_CORE_AREA = 6
_HALO_PX = 3  # around the core: anti-aliasing and what the encoder spread


@dataclass(frozen=True)
class Matte:
    """The inverse of an overlay in one crop.

    Attributes:
        gain: float32 (h, w), 1 / k.
        offset: float32 (h, w); the world's luma is gain * luma + offset.
        transmission: float32 (h, w), k in [0, 1]; 1 outside the mask, 0 where the overlay cannot be looked through.
        inside: bool (h, w), where the overlay is: the given mask without what behaves like the world.
    """

    gain: np.ndarray
    offset: np.ndarray
    transmission: np.ndarray
    inside: np.ndarray

    def see_through(self, luma: np.ndarray) -> np.ndarray:
        """Luma of the world behind the overlay, float32 (h, w) in 0..255; junk where the transmission is 0."""
        return np.clip(luma * self.gain + self.offset, 0.0, 255.0)


def estimate_matte(stack: np.ndarray, inside: np.ndarray, *, min_transmission: float, min_activity: float) -> Matte:
    """Matte of a crop from frames in which the overlay is there.

    Args:
        stack: luma uint8 (n, h, w), the crop at n >= 2 moments in order.
        inside: bool (h, w), the interface; there must be some world around it in the crop.
        min_transmission: below this k a pixel counts as opaque.
        min_activity: gray levels by which the world must change between moments, or nothing can be told.
    """
    sharp = _activity(stack)
    # Single pixels of a texture may keep still by chance.
    activity = cv2.blur(sharp, (3, 3))
    inside = _trim(np.minimum(sharp, activity), activity, inside, min_activity)
    known = _sure_world(inside)
    middle = np.median(stack, axis=0).astype(np.float32)
    world_activity, world_middle = extend(activity, known), extend(middle, known)
    raw = np.clip(activity / np.maximum(world_activity, 1e-3), 0.0, 1.5)
    transmission = _smooth_transmission(raw, inside, min_transmission)
    transmission[world_activity < min_activity] = 0.0
    transmission[~inside] = 1.0
    gain = 1.0 / np.maximum(transmission, min_transmission)
    offset = np.where(inside, world_middle - middle * gain, 0.0)
    return Matte(gain.astype(np.float32), offset.astype(np.float32), transmission.astype(np.float32), inside)


def _activity(stack: np.ndarray) -> np.ndarray:
    """How much each pixel changes between moments, in gray levels, less the encoder's noise; float32 (h, w)."""
    changes = np.stack([cv2.absdiff(a, b) for a, b in zip(stack[1:], stack[:-1], strict=True)])
    rank = min(len(changes) - 1, int(_ACTIVE_QUANTILE * len(changes)))
    level = np.partition(changes, rank, axis=0)[rank].astype(np.float32)
    return np.sqrt(np.maximum(level**2 - _NOISE**2, 0.0))


def _sure_world(inside: np.ndarray) -> np.ndarray:
    """Float32 1 for pixels a little outside the mask, whose rim is anti-aliased."""
    return 1.0 - cv2.dilate(inside.astype(np.float32), np.ones((5, 5), np.uint8))


def _trim(lowest: np.ndarray, activity: np.ndarray, inside: np.ndarray, min_activity: float) -> np.ndarray:
    """The mask without what changes like the world around it; unchanged where the world keeps still.

    `lowest` is the activity of a pixel or of its surroundings, whichever is less: thin lines must not be averaged away.
    """
    world = extend(activity, _sure_world(inside))
    core = inside & ((lowest < _CORE_RATIO * world) | (world < min_activity))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(core.astype(np.uint8), connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= _MIN_CORE_AREA
    large[0] = False
    side = 2 * _HALO_PX + 1
    halo = cv2.dilate(large[labels].astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
    # Only from the outside inwards: what looks like world in the middle of a panel is chance.
    _, parts = cv2.connectedComponents(1 - (inside & (halo > 0)).astype(np.uint8), connectivity=4)
    outer = np.zeros(parts.max() + 1, bool)
    outer[np.unique(parts[~inside])] = True
    return inside & ~outer[parts]


def _smooth_transmission(raw: np.ndarray, inside: np.ndarray, lowest: float) -> np.ndarray:
    """k averaged over the see-through pixels near by; 0 where the overlay is opaque or its own content moves."""
    clear = (inside & (raw > lowest) & (raw < _MAX_TRANSMISSION)).astype(np.float32)
    # An anti-aliased rim between opaque and clear is neither: leave a pixel out, and all that is thinner than a panel.
    sure = cv2.erode(clear, np.ones((3, 3), np.uint8))
    clear = cv2.morphologyEx(sure, cv2.MORPH_OPEN, np.ones((_PANEL_PX, _PANEL_PX), np.uint8)).astype(np.float32)
    size = (_SMOOTH_PX, _SMOOTH_PX)
    weight = cv2.blur(clear, size)
    mean = cv2.blur(raw * clear, size) / np.maximum(weight, 1e-6)
    return np.where(clear > 0, mean, 0.0).astype(np.float32)
