"""A small drawn library of both style sets and clean clips to compose on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from g2w.ui.draw import starter_library
from g2w.ui.library import write_library
from g2w.video.write import VideoWriter


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("library")
    assets = [*starter_library("a", 0, num_variants=3), *starter_library("b", 0, num_variants=2)]
    return folder, write_library(assets, folder)


@pytest.fixture(scope="session")
def clips() -> list[dict[str, Any]]:
    train = [{"clip_id": f"t{k}", "game": f"MAP{k:02d}", "split": "train", "num_frames": 150} for k in range(5)]
    return [*train, {"clip_id": "b0", "game": "E1M1", "split": "bench", "num_frames": 150}]


@pytest.fixture(scope="session")
def clean_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 frames of a scrolling noise world, 1280x720."""
    path = tmp_path_factory.mktemp("clip") / "clean.mp4"
    world = np.random.default_rng(0).integers(0, 255, (90, 200, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    with VideoWriter(path, width=1280, height=720, preset="ultrafast") as writer:
        for k in range(24):
            writer.write(world[:, 4 * k : 4 * k + 1280])
    return path
