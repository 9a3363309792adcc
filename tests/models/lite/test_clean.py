"""The whole cleaner on worlds it has not seen."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from g2w.video.cleaning import Cleaner
from models.lite.clean import LiteCleaner, load_lite


@pytest.fixture(scope="module")
def cleaner(trained: Path) -> LiteCleaner:
    return load_lite(trained)


def with_panel(world: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The world under a panel, and the panel's mask."""
    frames, inside = world.copy(), np.zeros(world.shape[1:3], bool)
    height, width = inside.shape
    inside[height // 6 : height // 3, width // 8 : width // 2] = True
    frames[:, inside] = (30, 40, 160)
    return frames, inside


def test_a_panel_is_found_and_replaced(cleaner: LiteCleaner, make_world) -> None:
    assert isinstance(cleaner, Cleaner)
    world = make_world(31, (256, 192), 24)
    frames, inside = with_panel(world)
    calls: list[tuple[int, int]] = []
    result = cleaner.clean(frames, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(i + 1, 24) for i in range(24)]
    before = np.abs(frames[:, inside].astype(int) - world[:, inside]).mean()
    after = np.abs(result.frames[:, inside].astype(int) - world[:, inside]).mean()
    assert after < 0.6 * before
    assert result.mask.shape == result.uncertainty.shape == (24, 96, 128)
    found = cv2.resize(result.mask[12], (256, 192)) > 127
    assert (found & inside).sum() > 0.8 * inside.sum()
    assert result.uncertainty[12][20:28, 24:56].mean() > 100


def test_background_keeps_its_bytes_and_runs_agree(cleaner: LiteCleaner, make_world) -> None:
    frames, _ = with_panel(make_world(32, (256, 192), 13))
    kept = frames.copy()
    first, second = cleaner.clean(frames), cleaner.clean(frames)
    assert np.array_equal(frames, kept)
    assert np.array_equal(first.frames, second.frames) and np.array_equal(first.mask, second.mask)
    for index in range(13):
        untouched = cv2.resize(first.mask[index], (256, 192), interpolation=cv2.INTER_NEAREST) == 0
        assert untouched.mean() > 0.5
        assert np.array_equal(first.frames[index][untouched], frames[index][untouched])


@pytest.mark.parametrize("shape", [(1, 96, 128), (2, 61, 93), (7, 200, 90)])
def test_any_size_and_length(cleaner: LiteCleaner, make_world, shape: tuple[int, int, int]) -> None:
    frames, _ = with_panel(make_world(33, (shape[2], shape[1]), shape[0]))
    result = cleaner.clean(frames)
    assert result.frames.shape == frames.shape and len(result.mask) == shape[0]


def test_other_arrays_are_refused(cleaner: LiteCleaner) -> None:
    with pytest.raises(ValueError, match="uint8 RGB"):
        cleaner.clean(np.zeros((2, 64, 64), np.uint8))
