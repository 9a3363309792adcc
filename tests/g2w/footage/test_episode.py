"""Real episodes in the real engine, short ones."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from g2w.footage.episode import EpisodeConfig, render_episode
from g2w.lineage.canonical import sha256_file
from g2w.video.read import read_frames

TWIN = EpisodeConfig("freedoom1", "E1M1", seed=5, num_frames=40, hud="b1", twin=True)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, str]]]:
    inbox = tmp_path_factory.mktemp("inbox")
    return inbox, render_episode(TWIN, inbox)


def test_a_twin_has_two_videos_that_differ_only_inside_the_boxes(twin) -> None:
    inbox, rows = twin
    shown, hidden = (read_frames(inbox / f"{row['name']}.mp4").astype(np.int16) for row in rows)
    assert shown.shape == hidden.shape == (40, 720, 1280, 3)
    boxes = pq.read_table(inbox / f"{rows[0]['name']}.elements.parquet").to_pylist()
    assert {b["element_id"] for b in boxes} == {"status", "radar", "ammo", "task", "crosshair", "alarm"}
    inside = np.zeros((40, 720, 1280), bool)
    for b in boxes:
        if b["visible"]:
            inside[b["frame_index"], b["y"] : b["y"] + b["h"], b["x"] : b["x"] + b["w"]] = True
    difference = np.abs(shown[::8] - hidden[::8]).max(axis=-1)
    assert difference[inside[::8]].mean() > 15
    assert difference[~inside[::8]].mean() < 3.0, "outside the boxes only the codec may differ"


def test_the_twin_names_its_other_half(twin) -> None:
    inbox, rows = twin
    with_hud, without = (json.loads((inbox / f"{row['name']}.source.json").read_text()) for row in rows)
    assert with_hud["twin"] == rows[1]["name"] and without["twin"] is None
    assert with_hud["episode"] == without["episode"]
    assert (with_hud["hud"], without["hud"], with_hud["split"]) == ("b1", "none", "bench")


def test_actions_move_the_player_in_the_next_row(twin) -> None:
    inbox, rows = twin
    log = [pq.read_table(inbox / f"{row['name']}.actions.parquet").to_pylist() for row in rows]
    assert log[0] == log[1], "both halves play the same actions and see the same world"
    turned = 0
    for now, after in itertools.pairwise(log[0]):
        change = (now["yaw"] - after["yaw"] + 180) % 360 - 180  # yaw grows to the left; mouse_dx is + to the right
        assert abs(change - now["mouse_dx"]) < 0.05 and now["valid"]
        turned += now["mouse_dx"] != 0
    assert turned > 10


def test_wild_footage_has_truth_but_no_clean_half(tmp_path: Path) -> None:
    config = EpisodeConfig("freedoom2", "MAP04", seed=5, num_frames=6, hud="a1")
    (row,) = render_episode(config, tmp_path)
    assert sorted(p.name.removeprefix(row["name"]) for p in tmp_path.iterdir()) == [
        ".actions.parquet",
        ".elements.parquet",
        ".mp4",
        ".source.json",
    ]
    card = json.loads((tmp_path / f"{row['name']}.source.json").read_text())
    assert card["twin"] is None and card["split"] == "train" and card["recipe"]["hud"] == "a1"
    assert len(pq.read_table(tmp_path / f"{row['name']}.elements.parquet")) == 6 * 6


def test_the_same_recipe_gives_the_same_bytes_and_is_not_rendered_twice(twin, tmp_path: Path) -> None:
    inbox, rows = twin
    again = render_episode(TWIN, tmp_path)
    assert again == rows
    for row in rows:
        for suffix in (".mp4", ".actions.parquet", ".source.json", ".elements.parquet"):
            if suffix == ".elements.parquet" and row["hud"] == "none":
                continue
            assert sha256_file(inbox / f"{row['name']}{suffix}") == sha256_file(tmp_path / f"{row['name']}{suffix}")
    video = tmp_path / f"{rows[0]['name']}.mp4"
    video.write_bytes(b"kept")
    render_episode(TWIN, tmp_path)
    assert video.read_bytes() == b"kept"


def test_what_may_not_be_recorded_is_refused() -> None:
    with pytest.raises(ValueError, match="never cross"):
        EpisodeConfig("freedoom2", "MAP01", 1, 10, hud="b1")
    with pytest.raises(ValueError, match="wad must be"):
        EpisodeConfig("doom", "E1M1", 1, 10)
