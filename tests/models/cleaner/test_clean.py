"""The trained cleaner on video of any size and length."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.cleaner import load_cleaner
from models.cleaner.clean import DiffusionCleaner


@pytest.fixture(scope="module")
def cleaner(trained: Path) -> DiffusionCleaner:
    return load_cleaner(trained)


def enlarge(frames: np.ndarray, width: int, height: int) -> np.ndarray:
    return np.stack([cv2.resize(frame, (width, height), interpolation=cv2.INTER_NEAREST) for frame in frames])


@pytest.mark.parametrize(
    ("length", "width", "height"), [(1, 64, 32), (2, 101, 57), (9, 160, 90), (23, 128, 72), (4, 40, 24)]
)
def test_any_size_and_length(cleaner: DiffusionCleaner, stripes, length: int, width: int, height: int) -> None:
    pairs = stripes.sample(0, -50, 3)
    frames = enlarge(np.concatenate(list(pairs.ui))[:length], width, height)
    seen: list[tuple[int, int]] = []
    result = cleaner.clean(frames, progress=lambda done, total: seen.append((done, total)))
    assert result.frames.shape == frames.shape and result.frames.dtype == np.uint8
    assert result.mask.shape == (length, 32, 64) and result.mask.dtype == np.uint8
    assert result.uncertainty.shape == (length, 32, 64) and result.uncertainty.dtype == np.uint8
    assert seen[-1] == (length, length)


def test_background_bytes_are_the_inputs_where_the_mask_is_zero(cleaner: DiffusionCleaner, stripes) -> None:
    frames = enlarge(stripes.sample(0, -51, 1).ui[0], 320, 160)
    result = cleaner.clean(frames)
    untouched = np.stack([cv2.resize(mask, (320, 160), interpolation=cv2.INTER_LINEAR) for mask in result.mask]) == 0
    assert 0.3 < untouched.mean() < 1.0
    assert (result.frames[untouched] == frames[untouched]).all()


def test_box_goes_at_full_size(cleaner: DiffusionCleaner, stripes) -> None:
    pairs = stripes.sample(0, -52, 4)
    gains = []
    for ui, clean, mask in zip(pairs.ui, pairs.clean, pairs.mask, strict=True):
        frames = enlarge(ui, 256, 128)
        inside = enlarge(mask, 256, 128) > 0
        truth = enlarge(clean, 256, 128).astype(np.float32)
        output = cleaner.clean(frames).frames
        before, after = (np.mean((x[inside] - truth[inside]) ** 2) for x in (frames, output))
        gains.append(10 * np.log10(before / after))
    assert np.mean(gains) > 4


def test_without_its_picture_the_model_only_finds(trained: Path, stripes, monkeypatch: pytest.MonkeyPatch) -> None:
    cleaner = load_cleaner(trained)
    config = cleaner.model.config
    cleaner.model.config = replace(
        config, composite=replace(config.composite, picture=0.0), flow=replace(config.flow, refill_share=0.25)
    )
    monkeypatch.setattr("models.cleaner.clean.finish", None)  # the sampler may not run
    frames = enlarge(stripes.sample(0, -55, 1).ui[0], 256, 128)
    result = cleaner.clean(frames)
    assert result.mask.any() and (result.frames != frames).any()


def test_same_input_same_bytes(cleaner: DiffusionCleaner, trained: Path, stripes) -> None:
    frames = enlarge(stripes.sample(0, -53, 1).ui[0], 128, 72)
    first, second = cleaner.clean(frames), load_cleaner(trained).clean(frames)
    assert (first.frames == second.frames).all() and (first.mask == second.mask).all()


def test_input_is_not_written_to(cleaner: DiffusionCleaner, stripes) -> None:
    frames = stripes.sample(0, -54, 1).ui[0]
    copy = frames.copy()
    frames.setflags(write=False)
    cleaner.clean(frames)
    assert (frames == copy).all()


@pytest.mark.parametrize(
    "frames", [np.zeros((0, 8, 8, 3), np.uint8), np.zeros((1, 8, 8, 3)), np.zeros((8, 8, 3), np.uint8)]
)
def test_bad_frames_are_refused(cleaner: DiffusionCleaner, frames: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint8 RGB"):
        cleaner.clean(frames)
