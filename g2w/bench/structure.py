"""Structural similarity against one fixed picture, with everything that depends on that picture computed once."""

from __future__ import annotations

import cv2
import numpy as np

SIGMA = 1.5
_WINDOW = (11, 11)
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def luma(rgb: np.ndarray) -> np.ndarray:
    """BT.601 luma of uint8 RGB as float32 in 0..255, the weights of scikit-image's and OpenCV's gray."""
    return cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float32)


def _blur(image: np.ndarray) -> np.ndarray:
    return cv2.GaussianBlur(image, _WINDOW, SIGMA, borderType=cv2.BORDER_REFLECT)


class StructureReference:
    """Luma of one picture prepared for SSIM, Gaussian window of sigma 1.5 (Wang 2004, as scikit-image computes it)."""

    def __init__(self, rgb: np.ndarray) -> None:
        self.luma = luma(rgb)
        self._mean = _blur(self.luma)
        self._mean_sq = self._mean * self._mean
        self._variance = _blur(self.luma * self.luma) - self._mean_sq

    def similarity(self, other: np.ndarray) -> np.ndarray:
        """SSIM map, float32 (height, width), of a float32 luma picture of the same size."""
        mean = _blur(other)
        product = self._mean * mean
        covariance = _blur(self.luma * other) - product
        mean_sq = mean * mean
        variance = _blur(other * other) - mean_sq
        product *= 2
        product += _C1
        covariance *= 2
        covariance += _C2
        product *= covariance
        mean_sq += self._mean_sq
        mean_sq += _C1
        variance += self._variance
        variance += _C2
        mean_sq *= variance
        return np.divide(product, mean_sq, out=product)
