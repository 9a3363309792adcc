"""Pictures that differ."""

from __future__ import annotations

import cv2
import numpy as np
import pytest


@pytest.fixture(scope="session")
def frames() -> list[np.ndarray]:
    """Twenty textured pictures, uint8 RGB 320x180."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(20):
        cells = rng.integers(0, 256, (9, 16, 3)).astype(np.uint8)
        picture = cv2.resize(cells, (320, 180), interpolation=cv2.INTER_CUBIC).astype(int)
        made.append(np.clip(picture + rng.integers(-12, 13, (180, 320, 3)), 0, 255).astype(np.uint8))
    return made
