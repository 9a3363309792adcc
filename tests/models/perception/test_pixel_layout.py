from __future__ import annotations

import numpy as np

from g2w.curation.dedup import plant_copies
from models.perception.pixel_layout import DIM, describe


def test_copies_are_close_and_others_far(frames: list[np.ndarray]) -> None:
    vectors = np.stack([describe(frame) for frame in frames])
    assert vectors.shape == (20, DIM) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    between = vectors @ vectors.T - np.eye(20)
    copies = [describe(copy) @ vectors[i] for i, frame in enumerate(frames) for copy in plant_copies(frame, i)]
    assert between.max() < 0.5 and min(copies) > 0.93


def test_light_color_and_edges_each_count(frames: list[np.ndarray]) -> None:
    frame = frames[0]
    swapped = np.ascontiguousarray(frame[..., ::-1])
    mirrored = np.ascontiguousarray(frame[:, ::-1])
    assert describe(frame) @ describe(swapped) < 0.95
    assert describe(frame) @ describe(mirrored) < 0.5


def test_flat_frames_stay_short_and_finite() -> None:
    black = describe(np.zeros((90, 160, 3), np.uint8))
    assert np.isfinite(black).all() and np.linalg.norm(black) < 1e-3
