from __future__ import annotations

import numpy as np
import pytest

from g2w.video.shots import ShotConfig, ShotDetector


def scene(seed: int, num_frames: int, speed: int = 1) -> np.ndarray:
    """A camera that pans over a random texture: uint8 (num_frames, 36, 64, 3)."""
    rng = np.random.default_rng(seed)
    wall = np.kron(rng.integers(0, 256, (9, 100, 3)), np.ones((4, 4, 1)))
    return np.stack([wall[:, speed * i : speed * i + 64] for i in range(num_frames)]).astype(np.uint8)


def starts(frames: np.ndarray, config: ShotConfig | None = None) -> list[int]:
    detector = ShotDetector(config)
    for frame in frames:
        detector.add(frame)
    return detector.starts(30)


def test_cuts_are_found_at_their_frame() -> None:
    assert starts(np.concatenate([scene(1, 40), scene(2, 50), scene(3, 30)])) == [40, 90]


def test_an_interface_that_stays_hides_no_cut() -> None:
    frames = np.concatenate([scene(1, 40), scene(2, 40)])
    frames[:, :9] = 230
    assert starts(frames) == [40]


def test_flashes_tints_and_turns_are_no_cuts() -> None:
    flash = scene(1, 80)
    flash[40:42] = 255
    tint = scene(1, 80).astype(float)
    tint[40:] = 0.5 * tint[40:] + 0.5 * np.array([255, 0, 0])
    turn = np.concatenate([scene(1, 40), scene(1, 45, speed=6)[39:], scene(1, 40)])
    assert starts(flash) == [] and starts(tint.astype(np.uint8)) == [] and starts(turn[:46]) == []


def test_dropped_frames_are_no_cut() -> None:
    frames = np.delete(scene(1, 80), range(40, 44), axis=0)
    plain, timed = ShotDetector(), ShotDetector()
    for index, frame in enumerate(frames):
        plain.add(frame)
        timed.add(frame, 5.0 if index == 40 else 1.0)
    assert plain.starts(30) == [40] and timed.starts(30) == []


def test_shots_have_a_least_length() -> None:
    frames = np.concatenate([scene(1, 40), scene(2, 8), scene(3, 40)])
    assert starts(frames) == [40]
    assert starts(frames, ShotConfig(min_shot_s=0.1)) == [40, 48]
    with pytest.raises(ValueError, match="ratio > 1"):
        ShotConfig(adaptive_ratio=1)
