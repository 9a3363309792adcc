"""The trained cleaner as a `Cleaner`: any size, any length, full-size frames in and out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from g2w.video.cleaning import CleanResult, Progress
from models.cleaner.checkpoint import load_model
from models.cleaner.composite import (
    clean_mask,
    combine_evidence,
    smooth_over,
    undecided,
)
from models.cleaner.model import GameCleaner
from models.cleaner.restore import find_interface, finish, per_frame
from models.cleaner.windows import (
    OverlapMean,
    Window,
    blend_weights,
    far_indices,
    plan_windows,
    sampled_indices,
    spread_over_time,
)
from models.lite.finish import Canvas, Finisher
from models.lite.mask import blocks, look_times
from models.training.loop import fixed_threads
from models.training.optim import step_generator


class DiffusionCleaner:
    """Mask-free UI removal: windows through the diffusion model at its inner size, pasted at full size through its own
    mask."""

    name = "gamecleaner"

    def __init__(self, model: GameCleaner, *, num_threads: int = 1, num_steps: int | None = None) -> None:
        """`num_steps` Euler steps (default: the configuration's); `num_threads` is fixed so that equal input gives
        equal bytes."""
        self.model = model.eval()
        self.num_threads = num_threads
        self.num_steps = num_steps if num_steps is not None else model.config.flow.num_steps

    def clean(self, frames: np.ndarray, *, progress: Progress | None = None) -> CleanResult:
        """Clean uint8 RGB frames (T, H, W, 3), T >= 1, any size.

        Returns frames of the same shape, the mask (T, h, w) uint8 at the inner size, covered share of each pixel, and the
        uncertainty (T, h, w) uint8. Where the mask is 0 the bytes are the input's. `progress(done, total)` counts
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
                output, probability, masks = self._restore(inner)
            canvas = Canvas.over(frames, (window.width, window.height))
            for number in self._finish(canvas, output, masks):
                if progress is not None:
                    progress(number + 1, total)
        finally:
            cv2.setNumThreads(before)
        doubt = np.stack([undecided(p, m) for p, m in zip(probability, canvas.mask, strict=True)])
        return CleanResult(canvas.result, canvas.mask, np.maximum(canvas.unsure, doubt))

    def _finish(self, canvas: Canvas, output: np.ndarray | None, masks: np.ndarray) -> Iterator[int]:
        """Paint the model's pictures (T, h, w, 3) into the full-size frames through its masks (T, h, w)."""
        composite = self.model.config.composite
        finisher = Finisher(composite.level, composite.grow_px, self.model.config.fill)
        for block in blocks(len(masks), self.model.config.window.far_span):
            times = look_times(*block, composite.hop)
            picture = None if output is None else output.__getitem__
            yield from finisher.paint(canvas, block, masks[times], times, picture)

    def _restore(self, inner: np.ndarray) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        """Inner frames (T, h, w, 3) uint8 -> output (T, h, w, 3) float32 in 0..255, or None if the model's picture is not
        wanted, and probability and soft mask (T, h, w).

        The model sees every `stride`-th frame, as in training; between them the masks and the model's *change* of the
        start picture are interpolated, while the start picture is each frame's own.
        """
        config, total = self.model.config, len(inner)
        indices = sampled_indices(total, config.window.stride)
        windows = list(plan_windows(len(indices), config.window))
        if config.flow.refill_share:
            found = self._find_all(inner, windows)
            probability = combine_evidence(spread_over_time(found, indices, total), config.composite)
            masks = np.stack([clean_mask(each, config.composite) for each in probability])
            if not config.composite.picture:
                return None, probability, masks  # the mask is read: the sampler need not run
            starts = np.stack([smooth_over(frame, mask) for frame, mask in zip(inner, masks, strict=True)])
            output, _ = self._finish_all(inner, windows, starts[indices], masks[indices])
        else:
            starts = inner
            output, found = self._finish_all(inner, windows, None, None)
            probability = combine_evidence(spread_over_time(found, indices, total), config.composite)
            masks = np.stack([clean_mask(each, config.composite) for each in probability])
        if not config.composite.picture:
            return None, probability, masks
        change = spread_over_time(output - starts[indices], indices, total)
        return np.clip(starts + config.composite.picture * change, 0.0, 255.0), probability, masks

    def _far(self, inner: np.ndarray, window: Window) -> np.ndarray:
        """Frames (1, n, h, w, 3) of the shot around a window."""
        config = self.model.config.window
        center = window.indices[len(window.indices) // 2] * config.stride
        return inner[None, far_indices(center, len(inner), config)]

    def _find_all(self, inner: np.ndarray, windows: list[Window]) -> np.ndarray:
        """Interface probability (n, h, w) of the sampled frames."""
        config = self.model.config.window
        seen, weights = inner[:: config.stride], blend_weights(config.num_frames)
        found = OverlapMean(len(seen), seen.shape[1:3])
        for window in windows:
            videos = seen[None, list(window.indices)]
            found.add(window, find_interface(self.model, videos, self._far(inner, window))[0], weights)
        return found.mean()

    def _finish_all(
        self, inner: np.ndarray, windows: list[Window], starts: np.ndarray | None, masks: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sample every window that has something to remove -> pictures (n, h, w, 3) float32 and probabilities (n, h,
        w)."""
        config = self.model.config.window
        seen, weights = inner[:: config.stride], blend_weights(config.num_frames)
        pictures, found = OverlapMean(len(seen), seen.shape[1:]), OverlapMean(len(seen), seen.shape[1:3])
        for number, window in enumerate(windows):
            chosen = list(window.indices)
            if masks is not None and not masks[chosen].any():
                pictures.add(window, seen[chosen], weights)
                found.add(window, masks[chosen], weights)
                continue
            # The generator matters for the noise prior only; a fixed stream per window keeps equal input equal.
            generator = step_generator(0, number, "clean")
            start = None if starts is None else starts[None, chosen]
            videos, far = seen[None, chosen], self._far(inner, window)
            output, groups = finish(self.model, videos, far, start, generator, self.num_steps)
            pictures.add(window, output[0], weights)
            found.add(window, per_frame(groups[0].numpy(), len(chosen)), weights)
        return pictures.mean(), found.mean()


def load_cleaner(checkpoint_dir: Path, *, num_threads: int = 1, num_steps: int | None = None) -> DiffusionCleaner:
    """The cleaner of a checkpoint folder written by `train_cleaner`; see `models.cleaner.checkpoint.load_model` for
    errors."""
    model, _ = load_model(Path(checkpoint_dir))
    return DiffusionCleaner(model, num_threads=num_threads, num_steps=num_steps)


def _check(frames: np.ndarray) -> None:
    if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[-1] != 3 or len(frames) < 1:
        raise ValueError(f"frames must be uint8 RGB (T, H, W, 3) with T >= 1, got {frames.dtype} {frames.shape}")


def _shrink(frame: np.ndarray, width: int, height: int) -> np.ndarray:
    shrinking = frame.shape[0] >= height and frame.shape[1] >= width
    return cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR)
