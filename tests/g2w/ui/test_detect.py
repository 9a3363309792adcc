from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from g2w.ui.detect import DetectorConfig, propose
from g2w.video.write import VideoWriter


def _iou(row: dict, box: tuple[int, int, int, int]) -> float:
    w = min(row["x"] + row["w"], box[0] + box[2]) - max(row["x"], box[0])
    h = min(row["y"] + row["h"], box[1] + box[3]) - max(row["y"], box[1])
    return w * h / (row["w"] * row["h"] + box[2] * box[3] - w * h) if w > 0 and h > 0 else 0.0


def test_all_elements_are_found_tightly_and_nothing_else(scene) -> None:
    rows = propose(scene.path)
    for asset, x, y in scene.placed:
        best = max(rows, key=lambda row: _iou(row, (x, y, asset.width, asset.height)))
        assert _iou(best, (x, y, asset.width, asset.height)) >= 0.7, asset.cls
        assert best["confidence"] > 0.6 and best["first_frame"] == 0 and best["last_frame"] >= 66
    assert len(rows) == len(scene.placed)
    assert (
        sum(
            row["cls"] == asset.cls
            for asset, x, y in scene.placed
            for row in rows
            if _iou(row, (x, y, asset.width, asset.height)) > 0.5
        )
        >= 3
    )


def test_a_clean_clip_has_no_proposals(scene) -> None:
    assert propose(scene.clean) == []


def test_the_first_person_model_is_not_interface(tmp_path: Path) -> None:
    from PIL import Image, ImageDraw

    sprite = Image.new("L", (240, 220))
    ImageDraw.Draw(sprite).ellipse((0, 0, 239, 420), fill=255)
    mask = np.asarray(sprite) > 0
    rng = np.random.default_rng(0)
    with VideoWriter(tmp_path / "fps.mp4", width=1280, height=720, preset="ultrafast") as writer:
        for _ in range(40):
            frame = rng.integers(0, 255, (18, 32, 3), dtype=np.uint8).repeat(40, 0).repeat(40, 1)
            frame[500:, 520:760][mask] = (150, 110, 80)  # at rest, as while turning on the spot
            frame[30:60, 40:240] = (250, 250, 250)
            writer.write(frame)
    rows = propose(tmp_path / "fps.mp4")
    assert len(rows) == 1 and rows[0]["y"] < 100


def test_nothing_is_claimed_about_a_world_that_stands_still(tmp_path: Path) -> None:
    frame = np.random.default_rng(0).integers(0, 255, (720, 1280, 3), dtype=np.uint8)
    with VideoWriter(tmp_path / "still.mp4", width=1280, height=720, preset="ultrafast") as writer:
        for _ in range(30):
            writer.write(frame)
    assert propose(tmp_path / "still.mp4") == []


def test_bad_thresholds_are_refused() -> None:
    with pytest.raises(ValueError, match="low <= high"):
        DetectorConfig(low=0.9)
