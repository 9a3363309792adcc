"""Is there an interface on the screen? Edges that stay where they are while the world moves, without any weights.

An edge of the world moves with the camera, so at one pixel its direction and strength change from frame to frame. An
edge of the interface keeps both. The one thing of the world that also stays is what the player carries: it bobs while
walking but not while turning, so its zone (bottom center) is counted apart and needs far more edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

ANALYSIS_SIZE = (640, 360)


@dataclass(frozen=True)
class UiPresenceConfig:
    """Persistent-edge statistics at 640x360. The numbers were set on rendered twins with and without an interface.

    Attributes:
        min_strength: mean gradient (levels of 255 per pixel, Sobel / 4) of an edge.
        persistence: share of the samples in which an edge has its mean direction, over the whole clip.
        half_persistence: the same over half of the clip, for what is shown only part of the time.
        min_motion: median absolute change (levels) between two samples that the world must show.
        min_samples: moved samples without which nothing can be said: in fewer, edges of the world agree by chance.
        weapon_zone: (left, top, right, bottom) as shares of the screen.
        present_px, absent_px: persistent edge pixels outside the zone from which, up to which an interface is there, is
            not.
        zone_present_px, zone_absent_px: the same inside it.
        half_present_px: the same outside it, over half of the clip.
    """

    min_strength: float = 8.0
    persistence: float = 0.9
    half_persistence: float = 0.99
    min_motion: float = 1.0
    min_samples: int = 15
    weapon_zone: tuple[float, float, float, float] = (0.34, 0.52, 0.66, 1.0)
    present_px: int = 30
    absent_px: int = 12
    zone_present_px: int = 1200
    zone_absent_px: int = 400
    half_present_px: int = 400

    def __post_init__(self) -> None:
        if not 0 <= self.absent_px < self.present_px or not 0 <= self.zone_absent_px < self.zone_present_px:
            raise ValueError(f"absent must be below present, in both zones, got {self}")
        if not 0.5 < self.persistence <= 1 or not 0.5 < self.half_persistence <= 1:
            raise ValueError(f"persistence must be in (0.5, 1], got {self}")


class PersistentEdges:
    """Collects gray pictures of one clip, uint8 (360, 640), and measures what stays."""

    def __init__(self, config: UiPresenceConfig | None = None) -> None:
        self.config = config or UiPresenceConfig()
        self._samples: list[np.ndarray] = []

    def add(self, gray: np.ndarray) -> None:
        """Offer a sample. One in which the world stands still says nothing and is left out."""
        if self._samples:
            change = np.abs(gray.astype(np.int16) - self._samples[-1])
            if float(np.median(change)) < self.config.min_motion:
                return
        self._samples.append(gray)

    def measure(self) -> dict[str, Any]:
        """Columns of corpus/scores.

        Returns:
            ui_present: True, False, or None where nothing can be said (too little motion, or between the limits).
            ui_presence: the same as a score in [0, 1), 0.5 at the limit; None without enough motion.
            ui_samples: samples used. ui_edge_px, ui_zone_edge_px, ui_half_edge_px: pixels at 640x360 that keep their
                edge
            outside the weapon zone, inside it, and outside it over half of the clip.
        """
        count, config = len(self._samples), self.config
        blank = {
            "ui_present": None,
            "ui_samples": count,
            **dict.fromkeys(("ui_presence", "ui_edge_px", "ui_zone_edge_px", "ui_half_edge_px")),
        }
        if count < config.min_samples:
            return blank
        gradients = [_gradients(gray) for gray in self._samples]
        zone = self._zone()
        whole = self._persistent(gradients, config.persistence)
        half = count // 2
        halves = [self._persistent(part, config.half_persistence) for part in (gradients[:half], gradients[-half:])]
        row: dict[str, Any] = {
            **blank,
            "ui_edge_px": int((whole & ~zone).sum()),
            "ui_zone_edge_px": int((whole & zone).sum()),
            "ui_half_edge_px": max(int((part & ~zone).sum()) for part in halves),
        }
        edges = row["ui_edge_px"]
        return {**row, "ui_present": self._judge(row), "ui_presence": edges / (edges + config.present_px)}

    def _judge(self, row: dict[str, Any]) -> bool | None:
        config = self.config
        if row["ui_edge_px"] >= config.present_px or row["ui_zone_edge_px"] >= config.zone_present_px:
            return True
        if row["ui_half_edge_px"] >= config.half_present_px:
            return True
        if row["ui_edge_px"] > config.absent_px or row["ui_zone_edge_px"] > config.zone_absent_px:
            return None
        return False

    def _zone(self) -> np.ndarray:
        width, height = ANALYSIS_SIZE
        left, top, right, bottom = self.config.weapon_zone
        zone = np.zeros((height, width), bool)
        zone[round(top * height) : round(bottom * height), round(left * width) : round(right * width)] = True
        return zone

    def _persistent(self, gradients: list[tuple[np.ndarray, np.ndarray]], share: float) -> np.ndarray:
        """Pixels (bool, 360 x 640) whose gradient agrees with its mean in at least this share of the samples."""
        mean_x = sum(x for x, _ in gradients) / np.float32(len(gradients))
        mean_y = sum(y for _, y in gradients) / np.float32(len(gradients))
        strength = np.hypot(mean_x, mean_y)
        edges = np.flatnonzero(strength > self.config.min_strength)
        unit_x, unit_y = (m.ravel()[edges] / strength.ravel()[edges] for m in (mean_x, mean_y))
        half = strength.ravel()[edges] / 2
        agree = np.zeros(len(edges), np.int32)
        for x, y in gradients:
            agree += x.ravel()[edges] * unit_x + y.ravel()[edges] * unit_y > half
        mask = np.zeros(strength.size, bool)
        mask[edges] = agree >= share * len(gradients)
        return mask.reshape(strength.shape)


def _gradients(gray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=0.25), cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=0.25))
