"""One small world, one interface over it, and a benchmark set made of real files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from g2w.bench.judge import Scene, SceneElement
from g2w.video.write import write_video

BOXES = {"health": (40, 640, 180, 48), "aim": (620, 340, 40, 40), "radar": (1110, 30, 140, 140)}
CLASSES = {"health": "player_status", "aim": "crosshair", "radar": "map_radar"}


def world(shift: int = 0, seed: int = 3) -> np.ndarray:
    """A textured 720p picture that moves with `shift`: smooth hills, stripes and grain."""
    picture = _landscape(seed)
    return np.ascontiguousarray(picture[40:760, 40 + shift : 1320 + shift])


@lru_cache(maxsize=4)
def _landscape(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    coarse = cv2.resize(rng.integers(40, 190, (24, 44, 3), dtype=np.uint8), (1400, 800), interpolation=cv2.INTER_CUBIC)
    fine = cv2.GaussianBlur(rng.normal(0, 26, (800, 1400, 1)).astype(np.float32), (0, 0), 1.2)[..., None]
    return np.clip(coarse.astype(np.float32) + fine, 0, 255).astype(np.uint8)


def overlay() -> tuple[np.ndarray, np.ndarray]:
    """(RGB, alpha 0 / 255) of three elements on a transparent canvas."""
    rgb, alpha = np.zeros((720, 1280, 3), np.uint8), np.zeros((720, 1280), np.uint8)
    for paint, color in ((rgb, True), (alpha, False)):
        white = (240, 250, 235) if color else 255
        cv2.putText(paint, "HP 87", (48, 680), cv2.FONT_HERSHEY_SIMPLEX, 1.6, white, 5)
        cv2.line(paint, (640, 344), (640, 376), (40, 255, 60) if color else 255, 3)
        cv2.line(paint, (624, 360), (656, 360), (40, 255, 60) if color else 255, 3)
        cv2.circle(paint, (1180, 100), 62, (25, 40, 90) if color else 255, -1)
        cv2.circle(paint, (1180, 100), 62, (230, 200, 60) if color else 255, 4)
        cv2.line(paint, (1180, 100), (1215, 70), (250, 60, 60) if color else 255, 4)
    return rgb, alpha


def composed(clean: np.ndarray) -> np.ndarray:
    rgb, alpha = overlay()
    return np.where(alpha[..., None] > 0, rgb, clean)


def scene_over(clean: np.ndarray) -> Scene:
    _, alpha = overlay()
    elements = tuple(
        SceneElement(name, CLASSES[name], (x, y, w, h), alpha[y : y + h, x : x + w].copy())
        for name, (x, y, w, h) in BOXES.items()
    )
    return Scene(composed(clean), clean, elements)


@pytest.fixture(scope="session")
def scene() -> Scene:
    return scene_over(world())


def write_twin(folder: Path, name: str, *, game: str, seed: int, num_frames: int = 32) -> list[dict[str, Any]]:
    """Two encodings of one episode, with and without interface, as rows of raw/clips."""
    frames = [world(2 * i, seed) for i in range(num_frames)]
    write_video(folder / f"{name}-clean.mp4", frames)
    write_video(folder / f"{name}.mp4", [composed(frame) for frame in frames])
    boxes = [
        {
            "frame_index": i,
            "element_id": element,
            "cls": CLASSES[element],
            "x": x,
            "y": y,
            "w": w,
            "h": h,
            "visible": True,
        }
        for i in range(num_frames)
        for element, (x, y, w, h) in BOXES.items()
    ]
    boxes.append({**boxes[0], "element_id": "hidden", "visible": False})
    pq.write_table(pa.Table.from_pylist(boxes), folder / f"{name}.elements.parquet")
    common = {"game": game, "split": "bench", "start_frame": 0, "num_frames": num_frames, "video_sha256": name}
    return [
        {
            **common,
            "clip_id": name,
            "video": f"{name}.mp4",
            "hud": "b1",
            "twin": f"{name}-clean",
            "path": str(folder / f"{name}.mp4"),
            "elements_file": f"{name}.elements.parquet",
        },
        {
            **common,
            "clip_id": f"{name}c",
            "video": f"{name}-clean.mp4",
            "hud": "none",
            "twin": None,
            "path": str(folder / f"{name}-clean.mp4"),
            "elements_file": None,
        },
    ]


@pytest.fixture(scope="session")
def gt_clips(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Rows of raw/clips: two twins of two games, 32 frames each."""
    folder = tmp_path_factory.mktemp("clips")
    return write_twin(folder, "one", game="doom/E1", seed=5) + write_twin(folder, "two", game="doom/E2", seed=6)


@pytest.fixture(scope="session")
def gt_set(
    gt_clips: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[dict[str, Any]]]:
    """(folder of all sets, items of game2world_gt): both twins, 31 frames each."""
    from g2w.bench.sets import build_gt_set

    sets = tmp_path_factory.mktemp("sets")
    return sets, build_gt_set(gt_clips, sets / "game2world_gt", max_clips=4, num_frames=31)


@pytest.fixture(scope="session")
def make_twin() -> Any:
    """`write_twin`, for tests that need other footage."""
    return write_twin
