"""Optical-flow metrics on DIS (dense inverse search, Kroeger et al. 2016; OpenCV's implementation): deterministic, no weights.

Farneback's polynomial expansion is a second opinion: the tiny action model is taught by DIS, and an examiner that shares the
teacher's mistakes would not see them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import cv2
import numpy as np

FLOW_BACKEND = "dis-medium"
SECOND_BACKEND = "farneback"
_MIN_HEIGHT = 144
_TOP_SHARE = 0.05


@contextmanager
def _one_thread() -> Iterator[None]:
    """DIS sums in parallel: one thread makes the numbers the same everywhere."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def video_flow(frames: np.ndarray, backend: str = FLOW_BACKEND) -> np.ndarray:
    """Flow between consecutive frames (T, h, w, 3) uint8 RGB -> (T - 1, h, w, 2) float32, pixels (x right, y down) of the
    input size. Pictures lower than 144 rows are enlarged first for DIS, which matches 8x8 patches at half size.

    Raises ValueError for other input or an unknown backend (`FLOW_BACKEND`, `SECOND_BACKEND`).
    """
    if backend not in (FLOW_BACKEND, SECOND_BACKEND):
        raise ValueError(f"unknown flow backend {backend!r}: choose {FLOW_BACKEND} or {SECOND_BACKEND}")
    frames = np.asarray(frames)
    if frames.ndim != 4 or frames.shape[-1] != 3 or frames.dtype != np.uint8 or len(frames) < 2:
        raise ValueError(f"expected at least 2 uint8 RGB frames (T, h, w, 3), got {frames.dtype} {frames.shape}")
    height, width = frames.shape[1:3]
    if backend == SECOND_BACKEND:
        return _farneback(frames)
    factor = max(1, -(-_MIN_HEIGHT // height))
    with _one_thread():
        dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
        gray = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in frames]
        if factor > 1:
            gray = [cv2.resize(g, (width * factor, height * factor), interpolation=cv2.INTER_CUBIC) for g in gray]
        flows = [dis.calc(a, b, None) for a, b in pairwise(gray)]
        if factor > 1:
            flows = [cv2.resize(flow, (width, height), interpolation=cv2.INTER_AREA) / factor for flow in flows]
    return np.stack(flows).astype(np.float32)


def _farneback(frames: np.ndarray) -> np.ndarray:
    """Flow by polynomial expansion, 4 levels of half size, windows of 11 pixels."""
    with _one_thread():
        gray = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in frames]
        flows = [cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 4, 11, 3, 5, 1.1, 0) for a, b in pairwise(gray)]
    return np.stack(flows).astype(np.float32)


def fields_to_first(frames: np.ndarray) -> np.ndarray:
    """Where each pixel of frames 1 .. T - 1 was in frame 0: uint8 RGB (T, h, w, 3) -> displacements (T - 1, 2, h, w)
    float32, pixels (x, y). Flows of neighbouring frames are chained, because DIS loses far displacements; beyond the
    border the last known displacement goes on. The fast preset: as well correlated with the turns as the medium one (0.88
    against 0.89), at a fifteenth of its time."""
    height, width = frames.shape[1:3]
    with _one_thread():
        dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
        gray = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in frames]
        steps = [dis.calc(after, before, None) for before, after in pairwise(gray)]
    ys, xs = np.mgrid[:height, :width].astype(np.float32)
    total, fields = np.zeros((height, width, 2), np.float32), []
    for step in steps:
        there = (xs + step[..., 0], ys + step[..., 1])
        total = step + cv2.remap(total, *there, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        fields.append(total.transpose(2, 0, 1))
    return np.stack(fields)


def flow_mse(generated: np.ndarray, real: np.ndarray) -> float:
    """Mean over pixels, both components and time of the squared flow difference (GameFactory's Flow-MSE), px^2 of the input."""
    if generated.shape != real.shape:
        raise ValueError(f"videos of different shapes: generated {generated.shape}, real {real.shape}")
    return flow_error(video_flow(generated), video_flow(real))


def flow_error(flow: np.ndarray, reference: np.ndarray) -> float:
    """Mean squared difference of two flow fields (T, h, w, 2)."""
    return float(np.mean((flow.astype(np.float64) - reference.astype(np.float64)) ** 2))


def motion_score(frames: np.ndarray) -> float:
    """Mean over frame pairs of the mean of the largest 5 % flow magnitudes, in percent of the short side."""
    magnitude = np.linalg.norm(video_flow(frames), axis=-1).reshape(len(frames) - 1, -1)
    count = max(1, int(magnitude.shape[1] * _TOP_SHARE))
    top = np.partition(magnitude, -count, axis=1)[:, -count:]
    return float(100.0 * top.mean() / min(frames.shape[1:3]))


def temporal_flicker(frames: np.ndarray) -> float:
    """Mean absolute change between neighbouring frames, in [0, 1] of the value range (VBench's 1 - flickering score)."""
    wide = np.asarray(frames).astype(np.int16)
    if len(wide) < 2:
        raise ValueError(f"flicker needs at least 2 frames, got {len(wide)}")
    return float(np.abs(np.diff(wide, axis=0)).mean() / 255.0)
