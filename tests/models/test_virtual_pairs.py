from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from torch.utils.data import DataLoader

from g2w.synth.recipe import RecipeSampler, SynthConfig
from g2w.synth.write import iter_pair
from g2w.ui.draw import starter_library
from g2w.ui.library import read_library, write_library
from g2w.video.write import write_video
from models.virtual_pairs import FixedRecipes, RedrawnRecipes, VirtualPairs

CLIPS = [{"clip_id": name, "game": "MAP01", "split": "train", "num_frames": 30} for name in ("a", "b")]
CANVAS = (160, 90)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path], RecipeSampler]:
    """Library folder, clips and a sampler."""
    folder = tmp_path_factory.mktemp("pairs")
    write_library(starter_library("a", 0, num_variants=1), folder / "library")
    paths = {}
    for seed, clip in enumerate(CLIPS):
        wall = np.random.default_rng(seed).integers(0, 255, (45, 100, 3), dtype=np.uint8).repeat(16, 0).repeat(16, 1)
        paths[clip["clip_id"]] = folder / f"{clip['clip_id']}.mp4"
        frames = [np.ascontiguousarray(wall[:, 5 * i : 5 * i + 1280]) for i in range(30)]
        write_video(paths[clip["clip_id"]], frames, preset="ultrafast")
    config = SynthConfig(num_frames=24, control_rate=0.0)
    return (
        folder / "library",
        paths,
        RecipeSampler(CLIPS, read_library(folder / "library"), seed=4, split="train", config=config),
    )


def dataset(stage: tuple[Path, dict[str, Path], RecipeSampler], count: int = 6, **options: Any) -> VirtualPairs:
    library, paths, sampler = stage
    return VirtualPairs(RedrawnRecipes(sampler, count), paths, library, num_frames=5, canvas=CANVAS, **options)


def test_an_item_is_a_window_of_the_pair(stage: tuple[Path, dict[str, Path], RecipeSampler]) -> None:
    library, paths, sampler = stage
    item = dataset(stage)[3]
    row = sampler.row(3)
    frames = list(iter_pair(row, paths[row["clip_id"]], library, canvas=CANVAS))
    assert item["pair_id"] == row["pair_id"]
    assert item["ui"].shape == (5, 3, 90, 160) and item["mask"].shape == (5, 90, 160)
    for t in range(5):
        ui, clean, mask = frames[item["first"] + t]
        assert np.array_equal(item["ui"][t].permute(1, 2, 0).numpy(), ui)
        assert np.array_equal(item["clean"][t].permute(1, 2, 0).numpy(), clean)
        assert np.array_equal(item["mask"][t].numpy(), mask)


def test_every_epoch_draws_other_pairs_and_the_same_ones_again(
    stage: tuple[Path, dict[str, Path], RecipeSampler],
) -> None:
    pairs = dataset(stage)
    first = [pairs[i]["pair_id"] for i in range(6)]
    pairs.set_epoch(1)
    second = [pairs[i]["pair_id"] for i in range(6)]
    assert len({*first, *second}) == 12
    assert second == [stage[2].row(6 + i)["pair_id"] for i in range(6)]
    pairs.set_epoch(0)
    assert [pairs[i]["pair_id"] for i in range(6)] == first


def test_workers_that_outlive_an_epoch_see_the_next_one(stage: tuple[Path, dict[str, Path], RecipeSampler]) -> None:
    pairs = dataset(stage, count=4)
    loader = DataLoader(pairs, batch_size=2, num_workers=2, persistent_workers=True)
    for epoch in (0, 1):
        pairs.set_epoch(epoch)
        batches = list(loader)
        assert batches[0]["ui"].shape == (2, 5, 3, 90, 160)
        for k, name in enumerate(name for batch in batches for name in batch["pair_id"]):
            assert name == pairs[k]["pair_id"]
        assert torch.equal(batches[1]["ui"][1], pairs[3]["ui"])


def test_a_written_table_keeps_its_pairs_and_moves_its_windows(
    stage: tuple[Path, dict[str, Path], RecipeSampler],
) -> None:
    library, paths, sampler = stage
    table = pa.Table.from_pylist([sampler.row(i) for i in range(3)])
    pairs = VirtualPairs(FixedRecipes(table), paths, library, num_frames=2, canvas=CANVAS, seed=1)
    places = []
    for epoch in range(6):
        pairs.set_epoch(epoch)
        item = pairs[1]
        assert item["pair_id"] == sampler.row(1)["pair_id"]
        places.append(item["first"])
    assert len(pairs) == 3 and len(set(places)) > 1


def test_what_does_not_fit_is_named(stage: tuple[Path, dict[str, Path], RecipeSampler]) -> None:
    library, paths, sampler = stage
    recipes = RedrawnRecipes(sampler, 2)
    with pytest.raises(ValueError, match="has 24 frames, the window needs 25"):
        VirtualPairs(recipes, paths, library, num_frames=25)[0]
    with pytest.raises(KeyError, match="which was not given"):
        VirtualPairs(recipes, {}, library, num_frames=2)[0]
    with pytest.raises(IndexError):
        VirtualPairs(recipes, paths, library, num_frames=2)[2]
    with pytest.raises(ValueError, match="at least one pair"):
        RedrawnRecipes(sampler, 0)
    with pytest.raises(ValueError, match="epoch must be 0 or more"):
        dataset(stage).set_epoch(-1)
