"""Training crops from recipes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.lite.evidence import NUM_CHANNELS
from models.lite.pairs import RecipePairs


def test_crops_are_a_function_of_seed_and_step(pairs: RecipePairs) -> None:
    first, again, other = pairs.sample(0, 3, 4), pairs.sample(0, 3, 4), pairs.sample(0, 4, 4)
    assert first.evidence.shape == (4, NUM_CHANNELS, 64, 96) and first.target.shape == (4, 64, 96)
    assert np.array_equal(first.evidence, again.evidence) and np.array_equal(first.target, again.target)
    assert not np.array_equal(first.evidence, other.evidence)


def test_the_target_is_where_the_picture_keeps_still(pairs: RecipePairs) -> None:
    batches = [pairs.sample(0, step, 8) for step in range(6)]
    target = np.concatenate([batch.target for batch in batches])
    spread = np.concatenate([batch.evidence[:, 6] for batch in batches])
    assert set(np.unique(target)) == {0.0, 1.0} and 0.02 < target.mean() < 0.6
    assert np.median(spread[target > 0]) < 0.5 * np.median(spread[target == 0])


def test_files_are_read_at_the_inner_size(make_pairs, make_config, make_world, tmp_path: Path) -> None:
    from g2w.video.write import VideoWriter

    path = tmp_path / "clip.mp4"
    with VideoWriter(path, width=256, height=192, preset="ultrafast") as writer:
        for frame in make_world(5, (256, 192), 12):
            writer.write(frame)
    _, recipes, folder = make_pairs(tmp_path / "library")
    batch = RecipePairs({"clip": path}, recipes, folder, make_config()).sample(0, 0, 2)
    assert batch.picture.shape == (2, 64, 96, 3) and batch.picture.std() > 5


def test_what_does_not_fit_is_refused(make_pairs, make_config, tmp_path: Path) -> None:
    clips, recipes, folder = make_pairs(tmp_path / "library")
    with pytest.raises(ValueError, match="recipes and clips"):
        RecipePairs({}, recipes, folder, make_config())
    with pytest.raises(ValueError, match="world0"):
        RecipePairs({"world0": np.zeros((9, 8, 8, 3), np.uint8)}, recipes, folder, make_config())
    config = make_config()
    few = replace(config, pairs=replace(config.pairs, max_clips=1))
    less, all_clips = (RecipePairs(clips, recipes, folder, each) for each in (few, config))
    assert less.fingerprint != all_clips.fingerprint
