"""From a detected element to a transparent picture: alpha solved from how much of the moving world shines through.

A static overlay obeys C_t = a F + (1 - a) B_t, so over pairs of frames C_t - C_s = (1 - a) (B_t - B_s), and the least
squares of all pairs is (1 - a)^2 = mean |C_t - C_s|^2 / mean |B_t - B_s|^2. B is not known under the element, but its mean
change and its mean color are carried in from the ring around it. One pixel's changes are few, so the root of that ratio is
smoothed along the element's own drawing (its median picture), which keeps edges sharp. Where a twin without interface
exists, B_t is known and the line C over B gives alpha and color by least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from g2w.ui.guided import guided_filter


class MatteReason(StrEnum):
    """Why an element's alpha cannot be identified: the closed list."""

    TOO_FEW_FRAMES = "too_few_frames"
    TOO_SMALL = "too_small"
    NO_SURROUNDINGS = "no_surroundings"
    BACKGROUND_STATIC = "background_static"
    BACKGROUND_UNEVEN = "background_uneven"
    BACKGROUNDS_ALIKE = "backgrounds_alike"
    CONTENT_CHANGES = "content_changes"
    NOTHING_OPAQUE = "nothing_opaque"


@dataclass(frozen=True)
class MattingConfig:
    """Knobs of matting. Lengths in pixels of 1280x720, variances in gray levels squared (summed over RGB)."""

    margin: int = 28
    min_frames: int = 16
    min_area: int = 48
    min_ring: int = 200
    min_world_std: float = 10.0
    noise_std: float = 2.5
    kept_share: float = 0.9
    max_ring_error: float = 0.4
    max_changing: float = 0.45
    min_backgrounds: float = 6.0
    guide_radius: int = 3
    guide_epsilon: float = 1e-4
    floor_sigmas: float = 1.0
    min_floor: float = 0.1
    ceiling: float = 0.94
    min_alpha: float = 0.35

    def __post_init__(self) -> None:
        if self.margin < 4 or self.min_frames < 4 or not 0 < self.min_floor < self.ceiling < 1:
            raise ValueError(f"MattingConfig needs margin >= 4, min_frames >= 4, 0 < min_floor < ceiling < 1: {self}")


@dataclass(frozen=True)
class Matte:
    """Solved element: `rgba` uint8 (h, w, 4) straight alpha or None, `error` expected (0..1), reason if refused."""

    rgba: np.ndarray | None
    error: float
    reason: MatteReason | None = None


def crop_box(box: tuple[int, int, int, int], margin: int, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The box (x, y, w, h) grown by the margin and cut to the picture, as (x0, y0, x1, y1)."""
    x, y, w, h = box
    return max(0, x - margin), max(0, y - margin), min(size[0], x + w + margin), min(size[1], y + h + margin)


def solve_matte(
    crops: np.ndarray, inside: np.ndarray, config: MattingConfig | None = None, *, taken: np.ndarray | None = None
) -> Matte:
    """Solve alpha and color of a static overlay without knowing the background.

    Args:
        crops: uint8 (T, H, W, 3), the element with a margin around it, at frames with different backgrounds.
        inside: bool (H, W), the element's box; the rest is the ring that shows the bare world.
        taken: bool (H, W), ring pixels that belong to other elements.

    Returns:
        A matte of the box (rows and columns of `inside`), or a reason of the closed list.
    """
    config = config or MattingConfig()
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    spot = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    ring = ~inside if taken is None else ~inside & ~taken
    refused = _refuse_early(crops, inside, ring, config)
    if refused is not None:
        return Matte(None, 1.0, refused)
    mean = np.median(crops, axis=0).astype(np.float32)
    variance = np.maximum(_liveliness(crops, config.kept_share) - config.noise_std**2, 0)
    world = _carry_in(variance, ring)
    if float(np.sqrt(world[inside].mean())) < config.min_world_std:
        return Matte(None, 1.0, MatteReason.BACKGROUND_STATIC)
    if _num_backgrounds(crops, ring) < config.min_backgrounds:
        return Matte(None, 1.0, MatteReason.BACKGROUNDS_ALIKE)
    shine = np.sqrt(cv2.blur(variance, (3, 3)) / np.maximum(world, 1.0))
    error = float(np.sqrt(np.mean((np.minimum(shine[ring], 2.0) - 1.0) ** 2)))
    if error > config.max_ring_error:
        return Matte(None, error, MatteReason.BACKGROUND_UNEVEN)
    if float((shine[inside] > 1.0 + 2.5 * error + 0.15).mean()) > config.max_changing:
        return Matte(None, error, MatteReason.CONTENT_CHANGES)
    passed = np.minimum(np.sqrt(variance / np.maximum(world, 1.0)), 1.5).astype(np.float32)
    passed = guided_filter(passed, mean / 255, config.guide_radius, config.guide_epsilon)
    alpha = _tidy(1.0 - passed, error, config)
    alpha[~inside] = 0.0
    if float(alpha.max()) < config.min_alpha:
        return Matte(None, error, MatteReason.NOTHING_OPAQUE)
    background = np.stack([_carry_in(mean[..., c], ring) for c in range(3)], axis=-1)
    return Matte(_compose(mean, background, alpha)[spot], error)


def solve_with_twin(crops: np.ndarray, twins: np.ndarray) -> np.ndarray:
    """Alpha and color where the same frames exist without interface, RGBA uint8 (H, W, 4).

    Args:
        crops, twins: uint8 (T, H, W, 3). Least squares of C = a F + (1 - a) B per pixel over frames and channels.
    """
    c, b = crops.astype(np.float32), twins.astype(np.float32)
    mean_c, mean_b = c.mean(axis=0), b.mean(axis=0)
    spread = ((b - mean_b) ** 2).sum(axis=(0, 3))
    slope = ((c - mean_c) * (b - mean_b)).sum(axis=(0, 3)) / np.maximum(spread, 1e-3)
    same = np.abs(c - b).max(axis=(0, 3)) < 6
    alpha = np.where(same, 0.0, np.clip(1.0 - slope, 0.0, 1.0)).astype(np.float32)
    return _compose(mean_c, mean_b, alpha)


def alpha_error(rgba: np.ndarray, truth: np.ndarray) -> float:
    """Mean absolute alpha difference (0..1) of two RGBA pictures of one size, over pixels where either is visible."""
    a, b = rgba[..., 3].astype(np.float32) / 255, truth[..., 3].astype(np.float32) / 255
    visible = np.maximum(a, b) > 0.05
    return float(np.abs(a - b)[visible].mean()) if visible.any() else 0.0


def _refuse_early(crops: np.ndarray, inside: np.ndarray, ring: np.ndarray, config: MattingConfig) -> MatteReason | None:
    if int(inside.sum()) < config.min_area:
        return MatteReason.TOO_SMALL
    if len(crops) < config.min_frames:
        return MatteReason.TOO_FEW_FRAMES
    return MatteReason.NO_SURROUNDINGS if int(ring.sum()) < config.min_ring else None


def _liveliness(crops: np.ndarray, kept_share: float) -> np.ndarray:
    """Mean squared change from crop to crop without the largest changes, summed over RGB, float32 (H, W).

    Changes instead of deviations, and trimmed: a counter that jumps now and then stays opaque.
    """
    steps = crops[1:].astype(np.float32) - crops[:-1]
    squares = np.einsum("thwc,thwc->thw", steps, steps)
    kept = max(1, int(len(squares) * kept_share))
    return np.asarray(np.partition(squares, kept - 1, axis=0)[:kept].mean(axis=0) / 2, dtype=np.float32)


def _num_backgrounds(crops: np.ndarray, ring: np.ndarray) -> float:
    """How many changes of background there really are, 1 .. T - 1: a single cut in a still scene counts as one.

    The participation ratio (sum of s)^2 / sum of s^2 of the ring's squared changes s: the reciprocal of how far the least
    squares hangs on few pairs of frames.
    """
    steps = np.diff(crops[:, ring].astype(np.float32), axis=0)
    sizes = (steps**2).mean(axis=(1, 2))
    return float(sizes.sum() ** 2 / max(float((sizes**2).sum()), 1e-6))


def _carry_in(values: np.ndarray, ring: np.ndarray) -> np.ndarray:
    """Values of the ring, smoothed and continued under the element (normalized convolution at growing widths)."""
    out, have = np.zeros(values.shape, np.float32), np.zeros(values.shape, np.float32)
    for sigma in (12.0, 48.0, 160.0):
        weight = _smooth(ring.astype(np.float32), sigma)
        smooth = _smooth(values.astype(np.float32) * ring, sigma)
        trust = np.clip(weight / 0.15, 0, 1) * (1 - have)
        out += trust * smooth / np.maximum(weight, 1e-6)
        have += trust
    return out + (1 - have) * float(values[ring].mean())


def _smooth(values: np.ndarray, sigma: float) -> np.ndarray:
    """Gaussian blur; wide ones at reduced size, where a kernel of a thousand taps is not needed."""
    factor = max(1, int(sigma // 6))
    height, width = values.shape
    small = (max(4, width // factor), max(4, height // factor))
    reduced = cv2.resize(values, small, interpolation=cv2.INTER_AREA) if factor > 1 else values
    blurred = cv2.GaussianBlur(
        reduced, (0, 0), sigma * small[0] / width, sigmaY=sigma * small[1] / height, borderType=cv2.BORDER_REPLICATE
    )
    return cv2.resize(blurred, (width, height), interpolation=cv2.INTER_LINEAR) if factor > 1 else blurred


def _tidy(alpha: np.ndarray, error: float, config: MattingConfig) -> np.ndarray:
    """Clip, silence what the ring's own scatter explains, and round nearly opaque pixels up."""
    alpha = np.clip(alpha, 0, 1).astype(np.float32)
    floor = max(config.min_floor, config.floor_sigmas * error)
    coarse = cv2.medianBlur(alpha, 5)
    # a lone weak pixel is scatter; weak pixels in a patch are a translucent plate
    alpha = np.where((alpha < floor) & (coarse < floor * 0.6), 0.0, alpha)
    plate = (np.abs(alpha - coarse) < floor) & (alpha < config.ceiling) & (alpha > 0)
    alpha = np.where(plate, coarse, alpha)
    return np.where(alpha > config.ceiling, 1.0, alpha).astype(np.float32)


def _compose(mean: np.ndarray, background: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    solid = np.maximum(alpha, 1e-3)[..., None]
    color = (mean - (1 - alpha[..., None]) * background) / solid
    out = np.zeros((*alpha.shape, 4), np.uint8)
    out[..., :3] = np.clip(np.rint(color), 0, 255)
    out[..., 3] = np.rint(alpha * 255)
    out[out[..., 3] == 0] = 0
    return out


def moving_subset(crops: np.ndarray, ring: np.ndarray, *, min_change: float = 3.0, most: int = 75) -> Sequence[int]:
    """Indices of at most `most` crops whose ring differs from the one chosen before by `min_change` gray levels:
    repeated backgrounds would fake certainty, and more frames hardly add any."""
    chosen: list[int] = []
    for index, crop in enumerate(crops):
        if not chosen or float(np.abs(crop[ring].astype(np.int16) - crops[chosen[-1]][ring]).mean()) >= min_change:
            chosen.append(index)
    if len(chosen) > most:
        chosen = [chosen[round(k * (len(chosen) - 1) / (most - 1))] for k in range(most)]
    return chosen
