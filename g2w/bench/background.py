"""Was the world left alone? Blocks of 16 x 16 outside every annotated box (evals.md 6.3), and overlays that are new."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from g2w.bench.color import ciede2000, rgb_to_lab
from g2w.bench.judge import Background
from g2w.bench.structure import StructureReference, luma

BLOCK_PX = 16
BAD_SSIM, BAD_RMS, BAD_DELTA_E = 0.5, 6.0, 5.0
NEW_EDGE, NEW_CLUSTER, NEW_SHARE = 8.0, 4, 0.2


@dataclass(frozen=True)
class BackgroundLimits:
    """Limits of one grade: mean SSIM at least, mean CIEDE2000, share and largest cluster of bad blocks at most."""

    ssim: float
    delta_e: float
    bad_share: float
    cluster: int

    def hold(self, features: dict[str, float]) -> bool:
        """Whether every feature is within its limit."""
        return (
            features["bg_ssim"] >= self.ssim
            and features["bg_delta_e"] <= self.delta_e
            and features["bg_bad_share"] <= self.bad_share
            and features["bg_cluster"] <= self.cluster
        )


PRESERVED = BackgroundLimits(ssim=0.86, delta_e=2.5, bad_share=0.01, cluster=8)
MINOR = BackgroundLimits(ssim=0.72, delta_e=6, bad_share=0.15, cluster=120)


def background_grade(features: dict[str, float]) -> Background:
    """Grade of a frame from its features; without a single background block it is uncertain."""
    if not features:
        return Background.UNCERTAIN
    if PRESERVED.hold(features):
        return Background.PRESERVED
    return Background.MINOR if MINOR.hold(features) else Background.MAJOR


class BackgroundReference:
    """The clean picture outside the boxes, prepared once for all outputs of a frame."""

    def __init__(self, clean: np.ndarray, source: np.ndarray, background: np.ndarray) -> None:
        """`clean`, `source`: uint8 RGB of the canvas; `background`: uint8 0 / 255, region K."""
        self.structure = StructureReference(clean)
        self._background = background
        self._blocks = _block_mean(background) >= 255
        self._lab = rgb_to_lab(_block_mean(clean)[self._blocks])
        self._edges = np.maximum(_edge_strength(self.structure.luma), _edge_strength(luma(source)))

    def features(self, output: np.ndarray, gray: np.ndarray, similarity: np.ndarray) -> dict[str, float]:
        """Four numbers for one output; `gray` its float32 luma, `similarity` its SSIM map. Empty without background."""
        if not self._blocks.any():
            return {}
        difference = gray - self.structure.luma
        rms = np.sqrt(_block_mean(difference * difference)[self._blocks])
        ssim = _block_mean(similarity)[self._blocks]
        delta_e = ciede2000(rgb_to_lab(_block_mean(output)[self._blocks]), self._lab)
        bad = ((ssim < BAD_SSIM) & (rms >= BAD_RMS)) | (delta_e > BAD_DELTA_E)
        return {
            "bg_ssim": cv2.mean(similarity, self._background)[0],
            "bg_delta_e": float(delta_e.mean()),
            "bg_bad_share": float(bad.mean()),
            "bg_cluster": float(_largest_cluster(bad, self._blocks)),
        }

    def new_overlay(self, gray: np.ndarray) -> bool:
        """Whether a compact patch of edges appeared that neither the source nor the clean picture has.

        Edges all over the frame are noise or another picture: that is background damage, not an overlay.
        """
        if not self._blocks.any():
            return False
        excess = np.maximum(_edge_strength(gray) - self._edges, 0)
        fresh = _block_mean(excess)[self._blocks] > NEW_EDGE
        return bool(fresh.mean() <= NEW_SHARE and _largest_cluster(fresh, self._blocks) >= NEW_CLUSTER)


def _block_mean(image: np.ndarray) -> np.ndarray:
    """Mean of every 16 x 16 block, float32 (45, 80) or (45, 80, 3)."""
    height, width = image.shape[0] // BLOCK_PX, image.shape[1] // BLOCK_PX
    values = image if image.dtype == np.float32 else image.astype(np.float32)
    return cv2.resize(values, (width, height), interpolation=cv2.INTER_AREA)


def _edge_strength(gray: np.ndarray) -> np.ndarray:
    """|dx| + |dy| (Sobel / 8) of a luma picture, float32."""
    dx = cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=1 / 8)
    dy = cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=1 / 8)
    return np.abs(dx) + np.abs(dy)


def _largest_cluster(flags: np.ndarray, blocks: np.ndarray) -> int:
    """Number of blocks in the largest 4-connected group of flagged blocks."""
    grid = np.zeros(blocks.shape, np.uint8)
    grid[blocks] = flags
    count, _, stats, _ = cv2.connectedComponentsWithStats(grid, connectivity=4)
    return int(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0
