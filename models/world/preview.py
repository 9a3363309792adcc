"""Pictures for people: rows of frames, several videos under one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def strip(arms: Sequence[np.ndarray], columns: int = 5) -> np.ndarray:
    """For each sample one row per arm with `columns` frames spread over time.

    Arms (B, T, h, w, 3) uint8 of one shape -> RGB (B * arms * h, columns * w, 3) uint8.
    """
    shapes = {arm.shape for arm in arms}
    if len(shapes) != 1:
        raise ValueError(f"arms of a strip must have one shape, got {sorted(shapes)}")
    length = arms[0].shape[1]
    chosen = np.unique(np.linspace(0, length - 1, min(columns, length)).round().astype(int))
    rows = [np.concatenate(list(arm[sample, chosen]), axis=1) for sample in range(len(arms[0])) for arm in arms]
    return np.concatenate(rows, axis=0)
