"""A small synthetic clip: a textured world that moves behind a known interface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from g2w.ui.draw import Asset, draw_asset
from g2w.video.write import VideoWriter

NUM_FRAMES = 72


@dataclass(frozen=True)
class Scene:
    """`path`: the clip with interface; `clean`: without; `placed`: asset and position of every element."""

    path: Path
    clean: Path
    placed: tuple[tuple[Asset, int, int], ...]


def world_frames(num_frames: int, seed: int = 0) -> list[np.ndarray]:
    """A blocky world seen through a camera that pans and turns, uint8 (720, 1280, 3) each."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 255, (40, 80, 3), dtype=np.uint8)
    world = cv2.resize(coarse, (3200, 1600), interpolation=cv2.INTER_NEAREST)
    world = cv2.addWeighted(world, 0.7, rng.integers(0, 255, world.shape, dtype=np.uint8), 0.3, 0)
    frames, x, y = [], 900.0, 400.0
    for k in range(num_frames):
        x, y = x + 22 * np.cos(k / 9), y + 12 * np.sin(k / 5)
        shift = np.float32([[1, 0.05 * np.sin(k / 7), -x], [0.05 * np.cos(k / 11), 1, -y]])
        frames.append(cv2.warpAffine(world, shift, (1280, 720), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT))
    return frames


def over(frame: np.ndarray, asset: Asset, x: int, y: int) -> np.ndarray:
    """Alpha-composite the first state of an asset, in floating point."""
    out = frame.astype(np.float64)
    rgba = asset.pixels[: asset.height].astype(np.float64)
    part = out[y : y + asset.height, x : x + asset.width]
    alpha = rgba[..., 3:] / 255
    part[...] = rgba[..., :3] * alpha + part * (1 - alpha)
    return np.rint(out).astype(np.uint8)


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("scene")
    status, radar, ammo, score = (
        draw_asset(cls, "a", 0, index)
        for cls, index in (("player_status", 1), ("map_radar", 1), ("weapon_ammo", 0), ("match_status", 3))
    )
    placed = (
        (status, 30, 700 - status.height),
        (radar, 1250 - radar.width, 24),
        (ammo, 1256 - ammo.width, 704 - ammo.height),
        (score, 640 - score.width // 2, 14),
    )
    with (
        VideoWriter(folder / "hud.mp4", width=1280, height=720, preset="ultrafast") as hud,
        VideoWriter(folder / "clean.mp4", width=1280, height=720, preset="ultrafast") as clean,
    ):
        for frame in world_frames(NUM_FRAMES):
            clean.write(frame)
            for asset, x, y in placed:
                frame = over(frame, asset, x, y)
            hud.write(frame)
    return Scene(folder / "hud.mp4", folder / "clean.mp4", placed)
