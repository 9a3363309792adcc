from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow.parquet as pq
import pytest

from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.synth.render import MIN_VISIBLE_ALPHA, PairRenderer
from g2w.synth.write import iter_pair, render_pair
from g2w.video.masks import IDS, iter_masks
from g2w.video.read import read_frames

Library = tuple[Path, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def row(library: Library) -> dict[str, Any]:
    clip = [{"clip_id": "c", "game": "MAP01", "split": "train", "num_frames": 24}]
    rows = sample_recipes(
        clip, library[1], count=20, seed=9, split="train", config=SynthConfig(num_frames=20).without("codec")
    )
    return next(row for row in rows if row["num_elements"] >= 5 and row["start_frame"] > 0)


def test_a_recipe_with_a_codec_ends_in_its_stream(
    library: Library, clean_clip: Path, row: dict[str, Any], tmp_path: Path
) -> None:
    codec = {"encoder": "libx265", "kbps": 900, "chroma": "yuv420p"}
    changed = {**row, "look": json.dumps({**json.loads(row["look"]), "codec": codec})}
    result = render_pair(changed, clean_clip, library[0], tmp_path)
    assert (result["encoder"], result["kbps"]) == ("libx265", 900)
    with av.open(str(tmp_path / result["ui"])) as container:
        assert container.streams.video[0].codec_context.name == "hevc"
    virtual = list(iter_pair(changed, clean_clip, library[0]))
    stored, masks = read_frames(tmp_path / result["ui"]), list(iter_masks(tmp_path / result["masks"]))
    assert len(stored) == 20
    for (ui, clean, mask), frame, lossless in zip(virtual, stored, masks, strict=True):
        assert np.array_equal(mask, lossless)  # masks and what is composed know nothing of the codec
        assert np.array_equal(ui[mask == 0], clean[mask == 0])
        assert np.abs(ui.astype(int) - frame).mean() < 25


def test_virtual_and_rendered_pairs_agree(
    library: Library, clean_clip: Path, row: dict[str, Any], tmp_path: Path
) -> None:
    result = render_pair(row, clean_clip, library[0], tmp_path, preset="ultrafast", crf=0)
    virtual = list(iter_pair(row, clean_clip, library[0]))
    assert result["num_frames"] == len(virtual) == 20
    stored = read_frames(tmp_path / result["ui"])
    masks = list(iter_masks(tmp_path / result["masks"]))
    ids, renderer = list(iter_masks(tmp_path / result["masks"], IDS)), PairRenderer(library[0], row)
    for i, ((ui, clean, mask), frame, lossless) in enumerate(zip(virtual, stored, masks, strict=True)):
        assert np.array_equal(mask, lossless)
        assert np.array_equal(ids[i], renderer.ids(i))
        assert not ids[i][mask < MIN_VISIBLE_ALPHA].any()
        assert np.array_equal(ui[mask == 0], clean[mask == 0])
        # crf 0 leaves the chroma subsampling as the only difference
        assert np.abs(ui[..., 1].astype(int) - frame[..., 1]).mean() < 3
    boxes = pq.read_table(tmp_path / result["boxes"]).to_pylist()
    assert len(boxes) == 20 * row["num_elements"] and any(box["visible"] for box in boxes)
    assert 0 < result["mask_share"] < 0.5


def test_the_same_recipe_gives_the_same_files(
    library: Library, clean_clip: Path, row: dict[str, Any], tmp_path: Path
) -> None:
    first = render_pair(row, clean_clip, library[0], tmp_path / "1", preset="ultrafast")
    second = render_pair(row, clean_clip, library[0], tmp_path / "2", preset="ultrafast")
    assert first == second
    for key in ("ui", "masks", "boxes"):
        data = (tmp_path / "2" / second[key]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == first[f"{key}_sha256"]


def test_a_short_clip_is_named(library: Library, clean_clip: Path, row: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the recipe needs 60"):
        list(iter_pair({**row, "num_frames": 60, "start_frame": 0}, clean_clip, library[0]))
