"""Cards: the worst first, the window where the interface is, the error map dark where nothing is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from g2w.bench.report_pictures import error_map, make_cards
from g2w.bench.run import judge_item

GtSet = tuple[Path, list[dict[str, Any]]]


def test_cards_start_with_the_worst_item(gt_set: GtSet, tmp_path: Path) -> None:
    sets, items = gt_set
    bad = max(items, key=lambda item: item["item_id"])
    verdicts, outputs = [], {}
    for item in items:
        path = sets / (item["ui_file"] if item is bad else item["clean_file"])
        verdicts += judge_item(item, {"lite": path}, sets_dir=sets)
        outputs[f"lite/{item['item_id']}"] = str(path)
    cards = make_cards(tmp_path, items, sets, outputs, verdicts, per_suite=2)
    assert [card["item_id"] == bad["item_id"] for card in cards] == [True, False]
    labels = [picture["label"] for picture in cards[0]["pictures"]]
    assert labels == ["input", "lite", "lite: error", "truth"] and "AAR 0.0" in cards[0]["pictures"][1]["note"]
    close = np.asarray(Image.open(tmp_path / cards[1]["details"][0]["file"]).convert("RGB")).astype(int)
    truth = np.asarray(Image.open(tmp_path / cards[1]["details"][3]["file"]).convert("RGB")).astype(int)
    assert close.shape == (270, 480, 3) and (np.abs(close - truth).max(axis=2) > 40).mean() > 0.2


def test_error_map_is_dark_below_the_noise_of_encoding() -> None:
    truth = np.full((90, 160, 3), 100, np.uint8)
    frame = truth.copy()
    frame[:45] += 5
    frame[45:] += 90
    heat = error_map(frame, truth).astype(int).sum(axis=2)
    assert heat[:45].max() < 15 and heat[45:].min() > 600
