"""A moving world, a weapon that the player carries, and an interface, in gray pictures of 640x360."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest


def world(num_frames: int, *, speed: int = 9, seed: int = 0, size: tuple[int, int] = (640, 360)) -> np.ndarray:
    """uint8 (num_frames, height, width): a textured wall that moves by `speed` pixels per frame."""
    width, height = size
    rng = np.random.default_rng(seed)
    cells = rng.integers(20, 200, (height // 12 + 1, (width + speed * num_frames) // 12 + 2)).astype(np.uint8)
    wall = cv2.resize(cells, None, fx=12, fy=12, interpolation=cv2.INTER_LINEAR)
    return np.stack([wall[:height, speed * i : speed * i + width] for i in range(num_frames)])


def add_weapon(frames: np.ndarray, bob: int) -> np.ndarray:
    """A bright shape at the bottom center that swings by `bob` pixels."""
    frames = frames.copy()
    height, width = frames.shape[1:]
    for index, frame in enumerate(frames):
        shift = round(bob * np.sin(index / 3))
        cv2.ellipse(frame, (width // 2 + shift, height), (width // 16, height // 4), 0, 0, 360, 235, -1)
        cv2.circle(frame, (width // 2 + shift, height * 5 // 6), width // 40, 30, -1)
    return frames


def add_interface(frames: np.ndarray, first: int = 0, alpha: float = 0.9) -> np.ndarray:
    """A health bar with a number, bottom left, from frame `first` on."""
    frames = frames.copy()
    height, width = frames.shape[1:]
    for frame in frames[first:]:
        drawn = frame.copy()
        cv2.rectangle(drawn, (width // 32, height * 8 // 9), (width // 5, height * 17 // 18), 240, 2)
        cv2.putText(drawn, "100", (width // 4, height * 17 // 18), cv2.FONT_HERSHEY_SIMPLEX, width / 1000, 240, 2)
        frame[:] = np.rint(alpha * drawn + (1 - alpha) * frame)
    return frames


@pytest.fixture(scope="session")
def scene() -> SimpleNamespace:
    """The three drawers."""
    return SimpleNamespace(world=world, add_weapon=add_weapon, add_interface=add_interface)
