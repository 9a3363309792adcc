"""One window through the model: find the interface, start from the source without it, let the diffusion model
finish."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from models.cleaner.composite import smooth_over
from models.cleaner.flow import find_mask, sample
from models.cleaner.mask_head import Seen
from models.cleaner.model import GameCleaner, to_frames, to_pixels


def per_frame(groups: np.ndarray, num_frames: int) -> np.ndarray:
    """Masks of latent frames (f, h, w) -> masks of frames (T, h, w): group 0 is frame 0, the others cover equal
    shares."""
    if len(groups) == 1:
        return groups.repeat(num_frames, axis=0)
    return np.concatenate([groups[:1], groups[1:].repeat((num_frames - 1) // (len(groups) - 1), axis=0)])


def see(videos: np.ndarray, far: np.ndarray) -> Seen:
    """uint8 windows (B, T, h, w, 3) and far frames of their shots (B, n, h, w, 3) as the network sees them."""
    return Seen(to_pixels(videos), to_pixels(far))


@torch.no_grad()
def find_interface(model: GameCleaner, videos: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Interface probability (B, T, h, w) float32 of uint8 windows (B, T, h, w, 3) and far frames (B, n, h, w, 3), by one
    network call."""
    seen = see(videos, far)
    groups = find_mask(model, model.codec.encode(seen.pixels), seen, model.context(list(videos)))
    return np.stack([per_frame(each, videos.shape[1]) for each in groups.numpy()])


@torch.no_grad()
def finish(
    model: GameCleaner,
    videos: np.ndarray,
    far: np.ndarray,
    starts: np.ndarray | None,
    generator: torch.Generator,
    num_steps: int | None = None,
) -> tuple[np.ndarray, Tensor]:
    """Sample clean windows: uint8 (B, T, h, w, 3) and the mask read on the way (B, f, h, w).

    `starts` uint8 (B, T, h, w, 3): pictures at sigma 1 (the source with its interface smoothed over); None = the plain
    prior.
    """
    seen = see(videos, far)
    source = model.codec.encode(seen.pixels)
    latents, probability = sample(
        model,
        source,
        seen,
        model.context(list(videos)),
        num_steps=model.config.flow.num_steps if num_steps is None else num_steps,
        start=None if starts is None else model.codec.encode(to_pixels(starts)),
        generator=generator,
    )
    return to_frames(model.codec.decode(latents)), probability


def restore(
    model: GameCleaner, videos: np.ndarray, far: np.ndarray, generator: torch.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The whole path for windows on their own: (clean uint8 (B, T, h, w, 3), interface probability (B, T, h, w))."""
    if not model.config.flow.refill_share:
        output, groups = finish(model, videos, far, None, generator)
        return output, np.stack([per_frame(each, videos.shape[1]) for each in groups.numpy()])
    probability = find_interface(model, videos, far)
    hidden = probability > model.config.composite.low
    starts = [[smooth_over(f, m) for f, m in zip(v, k, strict=True)] for v, k in zip(videos, hidden, strict=True)]
    return finish(model, videos, far, np.array(starts), generator)[0], probability
