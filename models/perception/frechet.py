"""Frechet distance between two sets of features (Heusel et al. 2017, section 2).

Named after its backbone wherever it is reported: on MobileNetV2 features it is FD-MobileNetV2, and no FID.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg


def frechet_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Squared Frechet distance of the Gaussians fitted to two sets of features.

    |mean_a - mean_b|^2 + trace(cov_a + cov_b - 2 (cov_a cov_b)^(1/2)), covariances with N - 1.

    Args:
        a, b: features (N, D) and (M, D), any float dtype; N, M >= 2. Below a few hundred samples the value is biased
            upward: report N with it, and compare only equal N.

    Returns:
        The distance, >= 0.

    Raises:
        ValueError: for other shapes, fewer than two rows, or values that are not finite.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or min(len(a), len(b)) < 2:
        raise ValueError(f"features must be (N >= 2, D) and (M >= 2, D), got {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("features hold values that are not finite; find the frames they come from before comparing")
    offset = a.mean(axis=0) - b.mean(axis=0)
    cov_a, cov_b = (np.atleast_2d(np.cov(x, rowvar=False)) for x in (a, b))
    # trace((cov_a cov_b)^(1/2)) through symmetric roots: cov_a is often singular (N < D), where sqrtm of the product
    # fails.
    root = _symmetric_root(cov_a)
    overlap = np.sqrt(np.clip(scipy.linalg.eigvalsh(root @ cov_b @ root), 0, None)).sum()
    return max(0.0, float(offset @ offset + np.trace(cov_a) + np.trace(cov_b) - 2 * overlap))


def _symmetric_root(matrix: np.ndarray) -> np.ndarray:
    values, vectors = scipy.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
