"""`pixel-layout-v1`: what a frame looks like, in numbers that need no weights.

Three blocks, each of zero mean and unit length, so that the cosine of two frames is about 0 for unrelated and 1 for
equal ones: the layout of light (16 x 9 cells), of color (two differences, 8 x 5 cells, as in MPEG-7's color layout),
and of edges (8 x 5 cells of eight directions, as in HOG). It finds near-copies; it knows nothing of what is shown.
"""

from __future__ import annotations

import cv2
import numpy as np

NAME = "pixel-layout-v1"
LIGHT_CELLS = (16, 9)
COARSE_CELLS = (8, 5)
NUM_DIRECTIONS = 8
WEIGHTS = (0.45, 0.2, 0.35)
DIM = LIGHT_CELLS[0] * LIGHT_CELLS[1] + COARSE_CELLS[0] * COARSE_CELLS[1] * (2 + NUM_DIRECTIONS)


def describe(rgb: np.ndarray) -> np.ndarray:
    """Descriptor of a frame.

    Args:
        rgb: uint8 (height, width, 3), any size.

    Returns:
        float32 (DIM,) of unit length; all zero only for a frame without any structure.
    """
    small = cv2.resize(rgb, (160, 90), interpolation=cv2.INTER_AREA)
    ycc = cv2.cvtColor(small, cv2.COLOR_RGB2YCrCb).astype(np.float32)
    light = cv2.resize(ycc[..., 0], LIGHT_CELLS, interpolation=cv2.INTER_AREA)
    color = cv2.resize(ycc[..., 1:], COARSE_CELLS, interpolation=cv2.INTER_AREA) - 128
    blocks = (_unit(light - light.mean()), _unit(color, floor=8.0), _unit(_edge_layout(ycc[..., 0])))
    joined = np.concatenate([np.sqrt(w) * block for w, block in zip(WEIGHTS, blocks, strict=True)])
    return _unit(joined, floor=1e-6)


def _edge_layout(luma: np.ndarray) -> np.ndarray:
    x, y = cv2.Sobel(luma, cv2.CV_32F, 1, 0), cv2.Sobel(luma, cv2.CV_32F, 0, 1)
    strength, angle = cv2.cartToPolar(x, y)
    # The root keeps one bright edge from deciding alone.
    strength = np.sqrt(strength)
    direction = (angle * (NUM_DIRECTIONS / (2 * np.pi))).astype(np.int32) % NUM_DIRECTIONS
    planes = [np.where(direction == k, strength, 0).astype(np.float32) for k in range(NUM_DIRECTIONS)]
    cells = np.stack([cv2.resize(plane, COARSE_CELLS, interpolation=cv2.INTER_AREA) for plane in planes])
    return cells - cells.mean(axis=(1, 2), keepdims=True)


def _unit(block: np.ndarray, floor: float = 1.0) -> np.ndarray:
    """Unit length; shorter than `floor` it stays short, so that noise in a flat frame is not blown up."""
    flat = block.ravel().astype(np.float32)
    return flat / max(float(np.linalg.norm(flat)), floor)
