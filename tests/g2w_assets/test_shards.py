"""The same recipe gives the same files wherever it is rendered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.ui.draw import starter_library
from g2w.ui.library import write_library
from g2w.video.write import write_video
from g2w_assets import shards
from resources.engine import EngineResource


@pytest.mark.services
def test_the_same_recipe_gives_the_same_hashes_on_the_pool_and_on_ray(tmp_path: Path) -> None:
    library = write_library(starter_library("a", 0, num_variants=1), tmp_path / "library")
    wall = np.random.default_rng(0).integers(0, 255, (90, 200, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    write_video(tmp_path / "clip.mp4", [wall[:, 4 * k : 4 * k + 1280] for k in range(16)], preset="ultrafast")
    clip = [{"clip_id": "c", "game": "MAP01", "split": "train", "num_frames": 16}]
    recipes = sample_recipes(clip, library, count=4, seed=3, split="train", config=SynthConfig(num_frames=14))
    found = {}
    for backend in ("local", "ray"):
        items = [
            {
                "recipe": recipe,
                "clip": str(tmp_path / "clip.mp4"),
                "library": str(tmp_path / "library"),
                "out": str(tmp_path / backend),
            }
            for recipe in recipes
        ]
        engine = EngineResource(workers=2, backend=backend)
        found[backend] = engine.map(
            shards.render_pair, items, steps=tmp_path / f"steps-{backend}", crashed=shards.render_crashed
        )
    assert all(rows[0]["verdict"] == "ok" for rows in found["local"])
    assert len({rows[0]["ui_sha256"] for rows in found["local"]}) == 4
    assert found["local"] == found["ray"]
