"""The trained cleaner as a `Cleaner`: any size, any length, full-size frames in and out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import torch

from g2w.video.cleaning import CleanResult
from models.cleaner.checkpoint import load_model
from models.cleaner.composite import blend_seamlessly, clean_mask, paste, uncertainty_map
from models.cleaner.flow import sample
from models.cleaner.model import GameCleaner, to_pixels
from models.cleaner.windows import OverlapMean, Window, blend_weights, plan_windows
from models.training.loop import fixed_threads
from models.training.optim import step_generator

Progress = Callable[[int, int], None]


class DiffusionCleaner:
    """Mask-free UI removal: windows through the diffusion model at its inner size, pasted at full size through its own mask."""

    name = "gamecleaner"

    def __init__(self, model: GameCleaner, *, num_threads: int = 1, num_steps: int | None = None) -> None:
        """`num_steps` Euler steps (default: the configuration's); `num_threads` is fixed so that equal input gives equal bytes."""
        self.model = model.eval()
        self.num_threads = num_threads
        self.num_steps = num_steps if num_steps is not None else model.config.flow.num_steps

    def clean(self, frames: np.ndarray, *, progress: Progress | None = None) -> CleanResult:
        """Clean uint8 RGB frames (T, H, W, 3), T >= 1, any size.

        Returns frames of the same shape, the soft mask (T, h, w) float32 in [0, 1] and the uncertainty (T, h, w) uint8 at the
        inner size. Pixels whose mask, enlarged linearly to (H, W), is 0 are the input's bytes. `progress(done, total)` counts
        frames. Raises ValueError for another shape or dtype.
        """
        _check(frames)
        window = self.model.config.window
        total = len(frames)
        before = cv2.getNumThreads()
        cv2.setNumThreads(self.num_threads)
        try:
            inner = np.stack([_shrink(frame, window.width, window.height) for frame in frames])
            with fixed_threads(self.num_threads):
                output, probability = self._restore(inner, progress, total)
            result = np.empty_like(frames)
            masks = np.zeros((total, window.height, window.width), np.float32)
            unsure = np.zeros((total, window.height, window.width), np.uint8)
            for index in range(total):
                masks[index] = clean_mask(probability[index], self.model.config.composite)
                unsure[index] = uncertainty_map(probability[index], masks[index])
                if masks[index].any():
                    fill = blend_seamlessly(inner[index], output[index], masks[index])
                    result[index] = paste(frames[index], fill, masks[index])
                else:
                    result[index] = frames[index]
                if progress is not None:
                    progress(index + 1, total)
        finally:
            cv2.setNumThreads(before)
        return CleanResult(frames=result, mask=masks, uncertainty=unsure)

    @torch.no_grad()
    def _restore(self, inner: np.ndarray, progress: Progress | None, total: int) -> tuple[np.ndarray, np.ndarray]:
        """Inner frames (T, h, w, 3) uint8 -> blended output (T, h, w, 3) float32 in 0..255 and UI probability (T, h, w)."""
        config = self.model.config.window
        pictures = OverlapMean(len(inner), inner.shape[1:])
        probabilities = OverlapMean(len(inner), inner.shape[1:3])
        weights = blend_weights(config.num_frames)
        for number, window in enumerate(plan_windows(len(inner), config)):
            output, probability = self._run_window(inner, window, number)
            pictures.add(window, output, weights)
            probabilities.add(window, probability, weights)
            if progress is not None:
                progress(0, total)
        return pictures.mean(), probabilities.mean()

    def _run_window(self, inner: np.ndarray, window: Window, number: int) -> tuple[np.ndarray, np.ndarray]:
        clip = inner[list(window.indices)]
        pixels = to_pixels(clip[None])
        context = self.model.context([clip])
        # The generator matters for the noise prior only; a fixed stream per window keeps equal input equal.
        latents, probability = sample(
            self.model, self.model.codec.encode(pixels), pixels, context, num_steps=self.num_steps,
            generator=step_generator(0, number, "clean"),
        )
        decoded = ((self.model.codec.decode(latents)[0].clamp(-1, 1) + 1.0) * 127.5).permute(1, 2, 3, 0)
        groups = probability[0].numpy()
        # Latent frame 0 is pixel frame 0; latent frame j > 0 covers an equal share of the rest.
        rest = (len(clip) - 1) // max(1, len(groups) - 1) if len(groups) > 1 else 0
        per_frame = np.concatenate([groups[:1], groups[1:].repeat(rest, axis=0)]) if rest else groups
        return decoded.numpy(), per_frame


def load_cleaner(checkpoint_dir: Path, *, num_threads: int = 1, num_steps: int | None = None) -> DiffusionCleaner:
    """The cleaner of a checkpoint folder written by `train_cleaner`; see `models.cleaner.checkpoint.load_model` for errors."""
    model, _ = load_model(Path(checkpoint_dir))
    return DiffusionCleaner(model, num_threads=num_threads, num_steps=num_steps)


def _check(frames: np.ndarray) -> None:
    if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[-1] != 3 or len(frames) < 1:
        raise ValueError(f"frames must be uint8 RGB (T, H, W, 3) with T >= 1, got {frames.dtype} {frames.shape}")


def _shrink(frame: np.ndarray, width: int, height: int) -> np.ndarray:
    shrinking = frame.shape[0] >= height and frame.shape[1] >= width
    return cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
