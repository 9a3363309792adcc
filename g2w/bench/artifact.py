"""What is left where a removed element was: fidelity to the clean picture inside R (evals.md 6.2, the strict track)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from g2w.bench.color import ciede2000, rgb_to_lab
from g2w.bench.judge import Artifact
from g2w.bench.persistence import gradients, magnitude
from g2w.bench.regions import Region

_COLOR_SIGMA = 6.0
# A picture blurred with sigma 6 holds nothing finer than this step.
_COLOR_STEP = 4


@dataclass(frozen=True)
class ArtifactLimits:
    """Limits of one grade: SSIM at least, CIEDE2000 at most, HF ratio within, seam and residual at most."""

    ssim: float
    delta_e: float
    hf: tuple[float, float]
    seam: float
    residual: float

    def hold(self, features: dict[str, float]) -> bool:
        """Whether every feature is within its limit."""
        return (
            features["ssim"] >= self.ssim
            and features["delta_e"] <= self.delta_e
            and self.hf[0] <= features["hf"] <= self.hf[1]
            and features["seam"] <= self.seam
            and features["residual"] <= self.residual
        )


NONE = ArtifactLimits(ssim=0.80, delta_e=2.5, hf=(0.4, 1.6), seam=2, residual=3)
MINOR = ArtifactLimits(ssim=0.60, delta_e=6, hf=(0.25, 2.5), seam=5, residual=9)


def artifact_of(features: dict[str, float]) -> Artifact:
    """Grade of a removed element from its features."""
    if NONE.hold(features):
        return Artifact.NONE
    return Artifact.MINOR if MINOR.hold(features) else Artifact.MAJOR


class ArtifactReference:
    """What the clean picture looks like around one element."""

    def __init__(self, clean: np.ndarray, source: np.ndarray, region: Region) -> None:
        """`clean` and `source` are uint8 RGB pictures of the canvas."""
        self._region = region
        self._samples = _grid(region.inside)
        crop = clean[region.slices].astype(np.float32)
        self._lab = _soft_lab(crop, self._samples)
        self._detail = _detail(crop, region.inside)
        self._edges = magnitude(*gradients(crop))[region.ring]
        overlay = source[region.slices].astype(np.float32) - crop
        self.overlay_rms = float(np.sqrt(np.mean(overlay[region.inside] ** 2, dtype=np.float64)))

    def features(self, output: np.ndarray, similarity: np.ndarray, pi: float) -> dict[str, float]:
        """The six numbers of one output (uint8 RGB, canvas); `similarity` is its SSIM map to the clean picture."""
        region = self._region
        crop = output[region.slices].astype(np.float32)
        edges = magnitude(*gradients(crop))[region.ring]
        return {
            "pi": pi,
            "ssim": float(similarity[region.slices][region.inside].mean(dtype=np.float64)),
            "delta_e": float(ciede2000(_soft_lab(crop, self._samples), self._lab).mean()),
            "hf": (_detail(crop, region.inside) + 0.5) / (self._detail + 0.5),
            "seam": float(np.maximum(edges - self._edges, 0).mean(dtype=np.float64)) if edges.size else 0.0,
            "residual": max(pi, 0.0) * self.overlay_rms,
        }


def _grid(inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of every fourth pixel of R; all pixels of an R that the grid misses."""
    rows, columns = np.nonzero(inside[::_COLOR_STEP, ::_COLOR_STEP])
    if not len(rows):
        rows, columns = np.nonzero(inside)
        return rows, columns
    return rows * _COLOR_STEP, columns * _COLOR_STEP


def _soft_lab(crop: np.ndarray, samples: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return rgb_to_lab(cv2.GaussianBlur(crop, (0, 0), _COLOR_SIGMA)[samples])


def _detail(crop: np.ndarray, inside: np.ndarray) -> float:
    """Standard deviation of the Laplacian of Gaussian (sigma 1) of the luma inside R."""
    gray = cv2.GaussianBlur(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY), (0, 0), 1.0)
    return float(cv2.Laplacian(gray, cv2.CV_32F)[inside].std(dtype=np.float64))
