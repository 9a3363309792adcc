"""Reading a set: scenes hold what is judged, nothing else, and refuse a damaged set."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from g2w.bench.items import clip_box, iter_item_masks, iter_scenes, read_elements, read_items
from g2w.video.write import write_video

GtSet = tuple[Path, list[dict[str, Any]]]


def test_read_back(gt_set: GtSet) -> None:
    sets, items = gt_set
    assert read_items(sets) == sorted(items, key=lambda item: item["item_id"])
    assert {row["item_id"] for row in read_elements(sets, items[0])} == {items[0]["item_id"]}


def test_scenes_at_every_judged_moment(gt_set: GtSet) -> None:
    sets, items = gt_set
    scenes = list(iter_scenes(sets, items[0]))
    assert [index for index, _, _ in scenes] == [0, 15, 30]
    for _, scene, judged in scenes:
        assert (
            [e.element_id for e in scene.elements]
            == [row["element_id"] for row in judged]
            == ["health", "aim", "radar"]
        )
        assert scene.clean is not None and np.abs(scene.source.astype(int) - scene.clean).max() > 100
    assert len(scenes[0][1].ignored) == 1  # the element that is not shown in frame 0
    assert len(list(iter_item_masks(sets, items[0]))) == 31


def test_a_damaged_set_says_so(gt_set: GtSet, tmp_path: Path) -> None:
    sets, items = gt_set
    shutil.copytree(sets, tmp_path / "sets")
    write_video(tmp_path / "sets" / items[0]["clean_file"], [np.zeros((720, 1280, 3), np.uint8)] * 16)
    with pytest.raises(ValueError, match="no frame 30"):
        list(iter_scenes(tmp_path / "sets", items[0]))


def test_boxes_are_cut_to_the_canvas() -> None:
    assert clip_box({"x": -5, "y": 710, "w": 20, "h": 30}) == (0, 710, 15, 10)
    assert clip_box({"x": 1280, "y": 0, "w": 20, "h": 30}) is None
