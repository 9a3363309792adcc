from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from g2w.ui.keyframes import KeyframeConfig, pick_keyframes


def _clips() -> tuple[list[dict], np.ndarray]:
    rng = np.random.default_rng(0)
    centers = np.eye(3, 16)
    vectors = np.concatenate([centers[k] + 0.05 * rng.normal(size=(6, 16)) for k in range(3)])
    clips = [{"clip_id": f"c{i:02d}", "game": "g", "num_frames": 150, "ui_presence": 1.0} for i in range(18)]
    return clips, vectors


def test_one_keyframe_per_cluster_and_it_is_the_center() -> None:
    clips, vectors = _clips()
    rows = pick_keyframes(clips, vectors, KeyframeConfig(share=3 / 18))
    assert sorted(int(row["clip_id"][1:]) // 6 for row in rows) == [0, 1, 2]
    assert all(row["cluster_size"] == 6 and row["frame_index"] == 75 and row["distance"] < 0.1 for row in rows)


def test_order_of_the_rows_does_not_matter() -> None:
    clips, vectors = _clips()
    order = np.random.default_rng(1).permutation(18)
    config = KeyframeConfig(share=0.4)
    assert pick_keyframes(clips, vectors, config) == pick_keyframes([clips[i] for i in order], vectors[order], config)


def test_clips_without_interface_are_left_out_and_games_kept_apart() -> None:
    clips, vectors = _clips()
    for row in clips[:6]:
        row["ui_presence"] = 0.0
    for row in clips[12:]:
        row["game"] = "h"
    rows = pick_keyframes(clips, vectors, KeyframeConfig(share=0.1, min_ui_presence=0.5))
    assert [row["game"] for row in rows] == ["g", "h"]
    assert 6 <= int(rows[0]["clip_id"][1:]) < 12


def test_misaligned_rows_are_refused() -> None:
    clips, vectors = _clips()
    with pytest.raises(ValueError, match="18 clips but 17"):
        pick_keyframes(clips, vectors[:-1])
    with pytest.raises(ValueError, match="share"):
        dataclasses.replace(KeyframeConfig(), share=0.0)
