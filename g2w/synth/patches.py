"""Element pictures on their way to the canvas: area scaling on premultiplied alpha, blur, and the six animations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from PIL import Image
from scipy.sparse import csr_array

FULL = 256  # progress of an animation that has finished
_BORDERS = {"edge": cv2.BORDER_REPLICATE, "constant": cv2.BORDER_CONSTANT}


@dataclass(frozen=True)
class Patch:
    """Straight-alpha picture uint8 (h, w, 4) whose top left pixel lies at canvas pixel (x, y); may reach outside."""

    x: int
    y: int
    rgba: np.ndarray


@lru_cache(maxsize=512)
def load_strip(path: str) -> np.ndarray:
    """RGBA strip of an asset, uint8 (num_states * h, w, 4), read-only.

    Raises:
        FileNotFoundError: if the library has no such picture.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"no asset picture {path}: the recipe and the library do not belong together")
    with Image.open(path) as image:
        pixels = np.array(image.convert("RGBA"))
    pixels.setflags(write=False)
    return pixels


def divide_255(value: np.ndarray) -> np.ndarray:
    """round(value / 255) for uint16 values up to 255 * 255, exactly and without division."""
    value = value + np.uint16(128)
    return (value + (value >> np.uint16(8))) >> np.uint16(8)


class Blender:
    """Blends layers in place. It keeps its room for intermediate values: to allocate it for every layer of every frame
    would cost ten times the arithmetic.
    """

    def __init__(self) -> None:
        self._room = np.empty((2, 0), np.uint16)

    def blend(self, below: np.ndarray, color: np.ndarray, keep: np.ndarray) -> None:
        """Make `below`, uint8 (h, w, 3), in place round((color + below * keep) / 255), exactly.

        `color` (color * alpha) and `keep` (255 - alpha) are uint16 (h, w, 3).
        """
        if self._room.shape[1] < keep.size:
            self._room = np.empty((2, keep.size), np.uint16)
        mixed, high = (room[: keep.size].reshape(keep.shape) for room in self._room)
        np.multiply(below, keep, out=mixed, dtype=np.uint16)
        mixed += color
        mixed += np.uint16(128)
        np.right_shift(mixed, np.uint16(8), out=high)
        mixed += high
        np.right_shift(mixed, np.uint16(8), out=mixed)
        below[...] = mixed


def scale_alpha(rgba: np.ndarray, factor: np.ndarray | int) -> np.ndarray:
    """Alpha times `factor` / 255 (factor 0..255, broadcast over (h, w)), rounded."""
    out = rgba.copy()
    out[..., 3] = divide_255(rgba[..., 3].astype(np.uint16) * np.asarray(factor, dtype=np.uint16)).astype(np.uint8)
    return out


@lru_cache(maxsize=4096)
def _coverage(start: float, step: float, count: int) -> tuple[int, csr_array]:
    """Box filter of one axis, source pixel k spans start + k * step ... + step: first pixel, weights (dst, src).

    Sparse on purpose: a dense product would go to the threaded BLAS, which costs 15 times the CPU time here and whose
    sums depend on the number of threads.
    """
    first, last = int(np.floor(start + 1e-9)), int(np.ceil(start + step * count - 1e-9))
    left = start + step * np.arange(count)
    cells = np.arange(first, max(last, first + 1))[:, None]
    weights = np.minimum(cells + 1, left + step) - np.maximum(cells, left)
    return first, csr_array(np.maximum(weights, 0.0).astype(np.float32))


def scale_patch(rgba: np.ndarray, x: float, y: float, w: float, h: float) -> Patch:
    """Draw the picture into the box (x, y, w, h) of a pixel grid with an exact area filter on premultiplied alpha.

    Whole-pixel boxes of the picture's own size return its bytes untouched.
    """
    rows, columns = rgba.shape[:2]
    if (w, h) == (columns, rows) and x == int(x) and y == int(y):
        return Patch(int(x), int(y), rgba)
    y0, along_y = _coverage(y, h / rows, rows)
    x0, along_x = _coverage(x, w / columns, columns)
    planes = rgba.astype(np.float32)
    planes[..., :3] *= planes[..., 3:]
    tall = (along_y @ planes.reshape(rows, columns * 4)).reshape(-1, columns, 4)
    height, width = tall.shape[0], along_x.shape[0]
    scaled = (
        (along_x @ tall.transpose(1, 0, 2).reshape(columns, height * 4)).reshape(width, height, 4).transpose(1, 0, 2)
    )
    out = np.zeros((height, width, 4), np.uint8)
    alpha = scaled[..., 3:]
    out[..., :3] = np.clip(np.rint(scaled[..., :3] / np.where(alpha > 0.5, alpha, 1.0)), 0, 255)
    out[..., 3:] = np.clip(np.rint(alpha), 0, 255)
    out[out[..., 3] == 0] = 0
    return Patch(x0, y0, out)


def progress(frame: int, start: int, stop: int, enter: int, leave: int) -> int:
    """How far the element has come in (0..256) at `frame`: rises over `enter` frames, falls over the last `leave`."""
    value = FULL
    if frame - start < enter:
        value = min(value, FULL * (frame - start + 1) // (enter + 1))
    if stop - 1 - frame < leave:
        value = min(value, FULL * (stop - frame) // (leave + 1))
    return value


def pop_scale(done: int) -> int:
    """Size of a popping element in 1/256: from a half over a small overshoot to full size."""
    if done >= FULL:
        return FULL
    return 128 + done if done < 160 else 288 - (done - 160) * 32 // 96


def animate(patch: Patch, animation: str, done: int, canvas: tuple[int, int]) -> Patch:
    """The patch at progress `done` (0..256). `pop` only scales, which the caller does with `pop_scale`.

    Raises:
        ValueError: for an animation outside the closed list of the taxonomy.
    """
    if done >= FULL or animation in ("instant", "pop"):
        return patch
    if animation == "fade":
        return Patch(patch.x, patch.y, scale_alpha(patch.rgba, done * 255 // FULL))
    if animation == "slide":
        return _slide(patch, done, canvas)
    if animation == "wipe_trail":
        return Patch(patch.x, patch.y, scale_alpha(patch.rgba, _wipe(patch.rgba.shape[1], done)[None, :]))
    if animation == "border_arc":
        angles = _angles(*patch.rgba.shape[:2])
        return Patch(patch.x, patch.y, scale_alpha(patch.rgba, np.clip((done - angles) * 16, 0, 255)))
    raise ValueError(f"animation {animation!r} is not known to the renderer")


def _slide(patch: Patch, done: int, canvas: tuple[int, int]) -> Patch:
    """Come in from beyond the nearest edge, decelerating."""
    h, w = patch.rgba.shape[:2]
    ways = (
        (patch.x + w, -1, 0),
        (canvas[0] - patch.x, 1, 0),
        (patch.y + h, 0, -1),
        (canvas[1] - patch.y, 0, 1),
    )
    distance, dx, dy = min(ways)
    left = (max(0, distance) * (FULL - done) ** 2) >> 16
    return Patch(patch.x + dx * left, patch.y + dy * left, patch.rgba)


def _wipe(width: int, done: int) -> np.ndarray:
    """Column factors 0..255: revealed from the left with a soft trail of a fifth of the width."""
    trail = max(2, width // 5)
    edge = done * (width + trail) // FULL
    return np.clip((edge - np.arange(width)) * 255 // trail, 0, 255)


@lru_cache(maxsize=256)
def _angles(height: int, width: int) -> np.ndarray:
    """Clockwise angle from the top around the center, int 0..239 (the rest is for the soft edge)."""
    ys, xs = np.mgrid[:height, :width]
    turn = np.arctan2(xs - (width - 1) / 2, -(ys - (height - 1) / 2)) % (2 * np.pi)
    return np.floor(turn / (2 * np.pi) * 240).astype(np.int64)


def box_blur(planes: np.ndarray, radius: int, *, outside: Literal["edge", "constant"] = "edge") -> np.ndarray:
    """Mean over (2 radius + 1)^2 pixels in whole numbers, rounded; uint8 (h, w) or (h, w, c).

    `outside`: the border is continued ("edge") or everything beyond it is 0 ("constant").
    """
    # An odd number of whole numbers never has a mean that ends in one half, so whole-number and floating-point arithmetic
    # round alike.
    size = 2 * radius + 1
    return cv2.blur(planes, (size, size), borderType=_BORDERS[outside])
