"""How near the truth: PSNR and SSIM inside the removed regions and in the background (evals.md 4)."""

from __future__ import annotations

import cv2
import numpy as np

PSNR_CAP_DB = 100.0


def psnr(first: np.ndarray, second: np.ndarray, mask: np.ndarray | None = None) -> float:
    """PSNR in dB of two uint8 pictures over the pixels where `mask` (uint8) is not 0; equal pictures give 100.

    Raises:
        ValueError: if the mask selects no pixel.
    """
    num_pixels = int(cv2.countNonZero(mask)) if mask is not None else first.shape[0] * first.shape[1]
    if not num_pixels:
        raise ValueError("PSNR needs at least one pixel, but the mask is empty")
    num_values = num_pixels * (first.shape[2] if first.ndim == 3 else 1)
    squares = (
        cv2.norm(first, second, cv2.NORM_L2SQR, mask) if mask is not None else cv2.norm(first, second, cv2.NORM_L2SQR)
    )
    mse = squares / num_values
    if mse == 0:
        return PSNR_CAP_DB
    return min(PSNR_CAP_DB, float(10 * np.log10(255.0**2 / mse)))


class RestorationReference:
    """The clean picture with the regions it is compared in."""

    def __init__(self, clean: np.ndarray, inside: np.ndarray, background: np.ndarray) -> None:
        """`inside` (union of all R) and `background` (K): uint8 0 / 255 (720, 1280)."""
        self._clean, self._inside, self._background = clean, inside, background
        self._has_inside, self._has_background = cv2.countNonZero(inside) > 0, cv2.countNonZero(background) > 0

    def features(self, output: np.ndarray, similarity: np.ndarray) -> dict[str, float]:
        """PSNR inside R and in K, SSIM inside R; a region that is empty has no number."""
        features: dict[str, float] = {}
        if self._has_inside:
            features["psnr_inside"] = psnr(output, self._clean, self._inside)
            features["ssim_inside"] = cv2.mean(similarity, self._inside)[0]
        if self._has_background:
            features["psnr_background"] = psnr(output, self._clean, self._background)
        return features
