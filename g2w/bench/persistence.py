"""Is the element still there? Edge persistence pi: how much of the overlay's own edges survives (evals.md 6.1).

The overlay's edges E are where the source has gradients that the clean picture lacks. p(X) projects the gradients of X
on those of the source over E. Searching small shifts catches an interface that was moved, and subtracting p(clean)
under the same shift keeps edges of the world from counting. For O = (1 - a) clean + a source, pi is a.
"""

from __future__ import annotations

import cv2
import numpy as np
from scipy import fft

from g2w.bench.judge import State
from g2w.bench.regions import Region

MAX_SHIFT_PX = 6
MIN_EDGE = 4.0
MIN_EDGE_PIXELS = 20
REMOVED_BELOW = 0.20
PRESENT_FROM = 0.35
MAX_WORLD_SHARE = 0.5
"""If the clean picture itself projects to more than this at any shift, the world's edges drown the overlay's."""
_PAD = MAX_SHIFT_PX + 1


def gradients(rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sobel / 8 in x and y of float32 RGB, each (height, width, 3), in gray levels per pixel."""
    # Replicated like the search window, so that an element on the border of the picture still has p(source) = 1.
    border = cv2.BORDER_REPLICATE
    return (
        cv2.Sobel(rgb, cv2.CV_32F, 1, 0, scale=1 / 8, borderType=border),
        cv2.Sobel(rgb, cv2.CV_32F, 0, 1, scale=1 / 8, borderType=border),
    )


def magnitude(dx: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Root mean square over the channels of the gradient's length, (height, width)."""
    return np.sqrt(np.mean(dx * dx + dy * dy, axis=2))


class PersistenceReference:
    """The edges of one overlay in one frame, ready to be searched for in any output.

    Sobel is linear, so sum_E grad X . grad D is the correlation of X itself with one template (Sobel's adjoint applied
    to the source's edges): no gradient of an output is ever taken, and all 169 shifts cost one Fourier transform.
    """

    def __init__(self, clean: np.ndarray, source: np.ndarray, region: Region) -> None:
        """`clean` and `source` are uint8 RGB pictures of the canvas."""
        crops = [image[region.slices].astype(np.float32) for image in (clean, source)]
        (cx, cy), (dx, dy) = gradients(crops[0]), gradients(crops[1])
        fresh = magnitude(dx - cx, dy - cy) > np.maximum(MIN_EDGE, magnitude(cx, cy))
        edges = fresh & region.inside
        self.num_edges = int(edges.sum())
        self.judgeable = False
        if self.num_edges < MIN_EDGE_PIXELS:
            return
        ys, xs = np.nonzero(edges)
        top, bottom, left, right = ys.min(), ys.max() + 1, xs.min(), xs.max() + 1
        window = (slice(top, bottom), slice(left, right))
        keep = edges[window][..., None]
        energy = float(((dx[window] ** 2 + dy[window] ** 2) * keep).sum(dtype=np.float64))
        template = _adjoint(dx[window] * keep, dy[window] * keep) / max(energy, 1e-6)
        self._top, self._left = region.top + top - _PAD, region.left + left - _PAD
        self._height, self._width = bottom - top + 2 * _PAD, right - left + 2 * _PAD
        self._fft_shape = (fft.next_fast_len(self._height, True), fft.next_fast_len(self._width, True))
        self._template = np.conj(fft.rfft2(template, self._fft_shape, axes=(0, 1), workers=1))
        self._clean = self._look(clean)
        world = self._project(self._clean)
        self._room = 1 - world
        # A flat fill projects to 0 at every shift. Where even that reads as persistent, the world under the overlay has
        # the overlay's edges in negative, and no output could be called removed.
        flat_fill = float((-world / self._room).max()) if world.max() < 1 else np.inf
        self.judgeable = bool(world.max() <= MAX_WORLD_SHARE and flat_fill < REMOVED_BELOW)

    def persistence(self, output: np.ndarray) -> float:
        """pi of an output picture (uint8 RGB, canvas); about 0 if the overlay is gone and 1 if it is untouched.

        Raises:
            ValueError: if the overlay is not `judgeable`: under 20 edge pixels, or drowned by the world's own edges.
        """
        if not self.judgeable:
            raise ValueError(
                f"this overlay ({self.num_edges} edge pixels) cannot be told from the world: ask `judgeable` first"
            )
        return float((self._project(self._look(output) - self._clean) / self._room).max())

    def _look(self, image: np.ndarray) -> np.ndarray:
        """The window of a picture with room for every shift; beyond the border its last pixel goes on."""
        top, left = max(0, self._top), max(0, self._left)
        bottom, right = self._top + self._height, self._left + self._width
        crop = image[top : min(bottom, image.shape[0]), left : min(right, image.shape[1])]
        around = (top - self._top, max(0, bottom - image.shape[0]), left - self._left, max(0, right - image.shape[1]))
        if any(around):
            crop = cv2.copyMakeBorder(crop, *around, cv2.BORDER_REPLICATE)
        return crop.astype(np.float32)

    def _project(self, crop: np.ndarray) -> np.ndarray:
        """p of a window at every shift: (13, 13)."""
        # The template sums to zero; without the mean less is lost to rounding in single precision.
        spectrum = fft.rfft2(crop - crop.mean(axis=(0, 1)), self._fft_shape, axes=(0, 1), workers=1)
        product = np.einsum("yxc,yxc->yx", spectrum, self._template)
        side = 2 * MAX_SHIFT_PX + 1
        return fft.irfft2(product, self._fft_shape, workers=1)[:side, :side]


def _adjoint(wx: np.ndarray, wy: np.ndarray) -> np.ndarray:
    """Template G with sum(X * G) = sum(wx * Sobel_x X + wy * Sobel_y X) / 8; one pixel larger on every side."""
    wx, wy = (cv2.copyMakeBorder(w, 1, 1, 1, 1, cv2.BORDER_CONSTANT) for w in (wx, wy))
    flat = cv2.BORDER_CONSTANT
    # Sobel is odd, so its adjoint is its negative.
    return -(
        cv2.Sobel(wx, cv2.CV_32F, 1, 0, scale=1 / 8, borderType=flat)
        + cv2.Sobel(wy, cv2.CV_32F, 0, 1, scale=1 / 8, borderType=flat)
    )


def state_of(pi: float) -> State:
    """Removed below 0.20, present from 0.35, uncertain between."""
    if pi < REMOVED_BELOW:
        return State.REMOVED
    return State.PRESENT if pi >= PRESENT_FROM else State.UNCERTAIN
