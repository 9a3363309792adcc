"""The examiner of the action model, examined: an oracle must pass, a still picture must fail, one clip proves nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from g2w.video.write import write_video
from models.training.reporter import NullReporter
from models.world.action import ActionClips, train_action
from models.world.action_bench import _measure, _scores, other_clip, score_actions
from models.world.clips import Window, cut_window, spread_windows
from models.world.config import KEYS, MOUSE, WorldConfig
from models.world.flow import FLOW_BACKEND, SECOND_BACKEND


@dataclass
class Oracle:
    """Knows the wall behind every first frame, and turns the camera over it as it is told; or does not move at all."""

    config: WorldConfig
    windows: list[Window]
    moves: bool

    def generate_batch(self, first: np.ndarray, actions: np.ndarray, *, seed: int = 0) -> np.ndarray:
        """A texture rolled by one pixel per degree."""
        offsets = np.concatenate([np.zeros((len(first), 1)), np.cumsum(actions[..., len(KEYS)], axis=1)], axis=1)
        if not self.moves:
            offsets[:] = 0.0
        return np.stack(
            [np.stack([np.roll(f, -round(o), axis=1) for o in row]) for f, row in zip(first, offsets, strict=True)]
        )


@pytest.fixture
def windows(clips, action_config) -> list[Window]:
    """Windows whose pictures wrap around, so that an oracle can exist."""
    found = [w for clip in clips.values() for w in spread_windows(clip, action_config.window, 4)]
    oracle = Oracle(action_config, [], True)
    return [
        Window(w.clip_id, w.start_frame, oracle.generate_batch(w.frames[:1], w.actions[None])[0], w.actions)
        for w in found
    ]


@pytest.mark.parametrize("backend", [FLOW_BACKEND, SECOND_BACKEND])
def test_an_oracle_wins_and_a_still_picture_does_not(windows, action_config, backend: str) -> None:
    scores = {}
    for moves in (True, False):
        rows, _ = _measure(Oracle(action_config, windows, moves), windows, 0)
        scores[moves] = {row["score_id"].removesuffix(f"_{backend}"): row for row in _scores(rows, "all", backend, 0)}
    assert scores[True]["actions/flow_mse_cut_vs_shuffled"]["value"] == 1.0
    assert scores[True]["actions/flow_mse_cut_vs_still"]["lo"] == 1.0
    assert scores[False]["actions/flow_mse_cut_vs_shuffled"]["value"] == 0.0
    assert abs(scores[False]["actions/flow_mse_cut_vs_still"]["value"]) < 1e-2


def test_nobody_keeps_the_actions_of_an_own_window() -> None:
    names = ["b"] * 4 + ["a"] * 3 + ["c"] * 2
    order = other_clip(names)
    assert sorted(order) == list(range(9))
    assert all(names[i] != names[j] for i, j in enumerate(order))
    with pytest.raises(ValueError, match="clip b has 4 of 6"):
        other_clip(["b"] * 4 + ["a"] * 2)


def test_windows_of_one_clip_alone_have_no_interval() -> None:
    rows = [{"clip_id": "one", "subset": "mouse-large", **{f"{FLOW_BACKEND}/{arm}": float(i) for arm in ("true", "shuffled", "still")}}
            for i in range(1, 4)]  # fmt: skip
    found = _scores(rows, "mouse-large", FLOW_BACKEND, 0)
    assert found[0]["value"] == 2.0 and found[0]["lo"] is None and found[0]["num_clips"] == 1


def test_a_checkpoint_is_scored_from_files(clips, action_config, tmp_path: Path) -> None:
    train_action(action_config, ActionClips(clips, action_config), tmp_path / "model", NullReporter())
    paths = {}
    for name, clip in list(clips.items())[:2]:
        paths[name] = tmp_path / f"{name}.mp4"
        write_video(paths[name], clip.frames)
        columns = {key: clip.actions[:, i] > 0 for i, key in enumerate(KEYS)}
        columns |= {key: clip.actions[:, len(KEYS) + i] for i, key in enumerate(MOUSE)}
        pq.write_table(pa.table({**columns, "valid": clip.valid}), tmp_path / f"{name}.actions.parquet")
    rows = score_actions(tmp_path / "model", paths, out=tmp_path, per_clip=2)
    assert len({row["score_id"] for row in rows}) == len(rows)
    every = next(row for row in rows if row["score_id"] == "actions/flow_mse_true")
    assert every["n"] == 4 and every["num_clips"] == 2 and every["value"] > 0
    table = pq.read_table(tmp_path / "windows.parquet").to_pylist()
    assert all(row["shuffled_from"] != row["clip_id"] for row in table)
    with pytest.raises(ValueError, match="another clip"):
        score_actions(tmp_path / "model", dict(list(paths.items())[:1]), out=tmp_path)


def test_a_window_keeps_rows_and_frames_together(clips, action_config) -> None:
    clip = clips["clip0"]
    window = cut_window(clip, 7, action_config.window)
    assert np.array_equal(window.frames, clip.frames[7:16]) and np.array_equal(window.actions, clip.actions[7:15])
    twice = window.mirrored().mirrored()
    assert np.array_equal(twice.frames, window.frames) and np.array_equal(twice.actions, window.actions)
