from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from g2w.curation.scores import SCHEMA, ScoreConfig, crashed_row, score_clip
from g2w.video.write import write_video


def store(path: Path, gray: np.ndarray, crf: int = 12) -> Path:
    write_video(path, (np.repeat(frame[..., None], 3, axis=2) for frame in gray), preset="ultrafast", crf=crf)
    return path


def score(path: Path) -> dict:
    row = score_clip(path)
    assert set(row) == set(SCHEMA.names)
    pa.Table.from_pylist([row], schema=SCHEMA)
    return row


def test_world_with_and_without_interface(scene: SimpleNamespace, tmp_path: Path) -> None:
    frames = scene.world(120, speed=6)
    clean, with_ui = (
        score(store(tmp_path / "c.mp4", frames)),
        score(store(tmp_path / "u.mp4", scene.add_interface(frames))),
    )
    assert (clean["world_class"], clean["ui_present"], with_ui["ui_present"]) == ("world", False, True)
    assert abs(clean["luma_mean"] - frames.mean()) < 1.5 and clean["num_frames"] == 120
    assert abs(clean["luma_p95"] - np.percentile(frames, 95)) < 8
    assert clean["flow_px"] == pytest.approx(12, abs=1.5)  # 6 px of 640 are 12 px of 1280
    assert (clean["black_ratio"], clean["frozen_ratio"], clean["duplicate_ratio"]) == (0, 0, 0)
    assert (clean["letterbox_x"], clean["letterbox_y"], clean["letterbox_w"], clean["letterbox_h"]) == (0, 0, 640, 360)
    assert clean["aesthetic"] is None and clean["aesthetic_status"] == "unavailable"
    assert clean == score_clip(tmp_path / "c.mp4")


def test_freezes_repeats_and_black(scene: SimpleNamespace, tmp_path: Path) -> None:
    frames = scene.world(40)
    stutter = score(store(tmp_path / "s.mp4", np.repeat(frames[:20], 2, axis=0)))
    assert stutter["duplicate_ratio"] == pytest.approx(20 / 39) and stutter["frozen_ratio"] == 0
    frozen = score(store(tmp_path / "f.mp4", np.concatenate([frames[:20], np.repeat(frames[19:20], 20, axis=0)])))
    assert frozen["frozen_ratio"] == pytest.approx(20 / 39, abs=0.06)
    dark = score(store(tmp_path / "d.mp4", np.concatenate([frames[:10], np.zeros_like(frames[:30])])))
    assert dark["black_ratio"] == 0.75 and dark["world_class"] == "loading"
    menu = score(store(tmp_path / "m.mp4", np.repeat(scene.add_interface(frames[:1]), 40, axis=0)))
    assert menu["world_class"] == "menu" and menu["ui_present"] is None


def test_bars_and_sharpness(scene: SimpleNamespace, tmp_path: Path) -> None:
    frames = scene.world(40)
    barred = frames.copy()
    barred[:, :48], barred[:, -48:] = 0, 0
    row = score(store(tmp_path / "b.mp4", barred))
    assert row["world_class"] == "cutscene" and abs(row["letterbox_y"] - 48) <= 4 and abs(row["letterbox_h"] - 264) <= 8
    blurred = np.stack([np.full_like(f, f.mean()) // 2 + f // 16 for f in frames])
    assert score(store(tmp_path / "soft.mp4", blurred))["sharpness"] < row["sharpness"] / 20


def test_the_hash_survives_encoding(scene: SimpleNamespace, tmp_path: Path) -> None:
    frames = scene.world(20)
    fine, coarse = (score(store(tmp_path / f"{crf}.mp4", frames, crf))["content_hash"] for crf in (5, 30))
    other = score(store(tmp_path / "o.mp4", scene.world(20, seed=5)))["content_hash"]
    assert bin(int(fine, 16) ^ int(coarse, 16)).count("1") <= 6 < bin(int(fine, 16) ^ int(other, 16)).count("1")


def test_what_cannot_be_measured_is_empty_and_never_zero(tmp_path: Path) -> None:
    (tmp_path / "bad.mp4").write_text("hello")
    for path in (tmp_path / "bad.mp4", tmp_path / "absent.mp4"):
        row = score(path)
        assert row["status"] == "not_decodable" and row["ui_present"] is None and row["motion"] is None
    assert crashed_row()["status"] == "crashed" and crashed_row()["world_class"] == "unknown"
    with pytest.raises(ValueError, match="sample_step"):
        ScoreConfig(sample_step=0)
