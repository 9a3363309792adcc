"""SSIM equals scikit-image's, border included."""

from __future__ import annotations

import cv2
import numpy as np
from skimage.metrics import structural_similarity

from g2w.bench.judge import Scene
from g2w.bench.structure import StructureReference, luma


def test_map_equals_scikit_image(scene: Scene) -> None:
    clean = scene.source
    other = cv2.GaussianBlur(clean, (0, 0), 1.5)
    _, expected = structural_similarity(
        luma(clean),
        luma(other),
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=255,
        full=True,
    )
    ours = StructureReference(clean).similarity(luma(other))
    assert np.abs(ours - expected).max() < 2e-3
    assert abs(ours.mean() - expected.mean()) < 1e-5


def test_a_picture_is_like_itself(scene: Scene) -> None:
    clean = scene.source
    assert np.allclose(StructureReference(clean).similarity(luma(clean)), 1, atol=1e-3)
