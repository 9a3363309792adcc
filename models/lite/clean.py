"""The lite cleaner: find the interface at a small size, fill it at full size. No mask is asked of the user."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.lite.checkpoint import load_segmenter
from models.lite.config import LiteConfig
from models.lite.finish import Canvas, Finisher, resize
from models.lite.mask import blocks, decide, look, look_times
from models.lite.segmenter import Segmenter
from models.training.loop import fixed_threads


class LiteCleaner:
    """Mask-free UI removal by a learned segmenter, temporal matting and smooth continuation."""

    name = "lite"

    def __init__(self, model: Segmenter, config: LiteConfig, *, num_threads: int = 1) -> None:
        """`num_threads` is fixed so that equal input gives equal bytes."""
        self.model = model.eval()
        self.config = config
        self.num_threads = num_threads

    def clean(self, frames: np.ndarray, *, progress: Progress | None = None) -> CleanResult:
        """Clean uint8 RGB frames (T, H, W, 3), T >= 1, any size.

        Returns frames of the same shape; the mask (T, h, w) uint8 at the inner size, covered share of each pixel; the
        uncertainty (T, h, w) uint8, 0 where the world was seen. Where the mask is 0 the bytes are the input's.
        `progress(done, total)` counts frames. Raises ValueError for another shape or dtype.
        """
        if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[-1] != 3 or len(frames) < 1:
            raise ValueError(f"frames must be uint8 RGB (T, H, W, 3) with T >= 1, got {frames.dtype} {frames.shape}")
        before = cv2.getNumThreads()
        cv2.setNumThreads(self.num_threads)
        try:
            with fixed_threads(self.num_threads):
                return self._clean(frames, progress)
        finally:
            cv2.setNumThreads(before)

    def _clean(self, frames: np.ndarray, progress: Progress | None) -> CleanResult:
        evidence, mask, total = self.config.evidence, self.config.mask, len(frames)
        small = np.stack([resize(frame, evidence.width, evidence.height) for frame in frames])
        canvas = Canvas.over(frames, (evidence.width, evidence.height))
        finisher = Finisher(mask.low, mask.grow_px, self.config.fill)
        for block in blocks(total, evidence.span):
            times = look_times(*block, mask.hop)
            looks = decide(look(self.model, evidence, small, block, times), mask)
            for frame in finisher.paint(canvas, block, looks, times):
                if progress is not None:
                    progress(frame + 1, total)
        return CleanResult(frames=canvas.result, mask=canvas.mask, uncertainty=canvas.unsure)


def load_lite(checkpoint_dir: Path, *, num_threads: int = 1) -> LiteCleaner:
    """The cleaner of a checkpoint folder written by `train_lite`; raises CheckpointError naming what does not fit."""
    model, config = load_segmenter(Path(checkpoint_dir))
    return LiteCleaner(model, config, num_threads=num_threads)
