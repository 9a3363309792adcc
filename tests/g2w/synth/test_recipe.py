from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from g2w.lineage.canonical import canonical_json
from g2w.synth.config import GROUPS
from g2w.synth.effects import padding
from g2w.synth.layout import Placed, collides
from g2w.synth.motion import at
from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.ui.taxonomy import load_taxonomy

Library = tuple[Path, list[dict[str, Any]]]
NUM_ROWS = 4000


@pytest.fixture(scope="module")
def rows(library: Library, clips: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sample_recipes(clips, library[1], count=NUM_ROWS, seed=3, split="train")


def _counts(rows: list[dict[str, Any]]) -> list[Counter[str]]:
    return [Counter(element["cls"] for element in json.loads(row["elements"])) for row in rows if not row["is_control"]]


def test_rows_are_a_pure_function_of_the_inputs(library: Library, clips: list[dict[str, Any]]) -> None:
    again = sample_recipes(list(reversed(clips)), list(reversed(library[1])), count=20, seed=3, split="train")
    more = sample_recipes(clips, library[1], count=40, seed=3, split="train")
    assert canonical_json(again) == canonical_json(more[:20])
    other = sample_recipes(clips, library[1], count=20, seed=4, split="train")
    assert not {row["pair_id"] for row in other} & {row["pair_id"] for row in more}
    assert len({row["pair_id"] for row in more}) == 40


def test_rows_can_be_planned_in_pieces(library: Library, clips: list[dict[str, Any]]) -> None:
    whole = sample_recipes(clips, library[1], count=30, seed=3, split="train")
    pieces = [sample_recipes(clips, library[1], count=10, first=k, seed=3, split="train") for k in (20, 0, 10)]
    assert [*pieces[1], *pieces[2], *pieces[0]] == whole


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_that_is_off_leaves_the_other_draws_alone(
    library: Library, clips: list[dict[str, Any]], rows: list[dict[str, Any]], group: str
) -> None:
    config = SynthConfig().without(group)
    off = sample_recipes(clips, library[1], count=300, seed=3, split="train", config=config)
    own = {
        "layout": {"formation", "gap"},
        "appearance": {"filter", "frost", "effects"},
        "text": {"script"},
        "stream": set(),
        "motion": {"slow_fps", "path", "away"},
        "codec": {"codec"},
    }[group]
    changed = 0
    for row, plain in zip(rows, off, strict=False):
        look, without = json.loads(row["look"]), json.loads(plain["look"])
        assert not own & set(without) and own <= set(look)
        shared = set(look) - own - {"groups", "dropped"}
        assert {key: look[key] for key in shared} == {key: without[key] for key in shared}
        assert (row["clip_id"], row["start_frame"], row["is_control"]) == (
            plain["clip_id"],
            plain["start_frame"],
            plain["is_control"],
        )
        times = [[(e["cls"], e["start"], e["stop"]) for e in json.loads(r["elements"])] for r in (row, plain)]
        dropped = look["dropped"] or without["dropped"]
        assert dropped or times[0] == times[1]
        changed += row["elements"] != plain["elements"]
    assert (changed == 0) == (group in ("codec", "motion"))


def test_class_shares_match_the_taxonomy(rows: list[dict[str, Any]]) -> None:
    counts, taxonomy = _counts(rows), load_taxonomy()
    for item in taxonomy.persistent:
        hits = sum(count[item.name] > 0 for count in counts)
        assert stats.binomtest(hits, len(counts), item.probability).pvalue > 1e-4, item.name
    assert all(count[item.name] <= item.max_instances for count in counts for item in taxonomy.classes)
    persistent = {item.name for item in taxonomy.persistent}
    mean = sum(sum(n for name, n in count.items() if name in persistent) for count in counts) / len(counts)
    assert mean == pytest.approx(4.0, abs=0.1)


def test_popup_counts_follow_the_law(rows: list[dict[str, Any]]) -> None:
    counts, taxonomy = _counts(rows), load_taxonomy()
    popups = {item.name for item in taxonomy.popups}
    seen = Counter(sum(n for name, n in count.items() if name in popups) for count in counts)
    expected = [p * len(counts) for p in taxonomy.popup_count_law]
    assert stats.chisquare([seen[k] for k in range(6)], expected).pvalue > 1e-4
    assert sum(k * n for k, n in seen.items()) / len(counts) == pytest.approx(1.5, abs=0.06)


def test_controls_and_drops(rows: list[dict[str, Any]]) -> None:
    controls = [row for row in rows if row["is_control"]]
    assert stats.binomtest(len(controls), NUM_ROWS, 0.05).pvalue > 1e-4
    assert all(row["elements"] == "[]" for row in controls)
    dropped = sum(row["num_dropped"] for row in rows)
    assert dropped / (dropped + sum(row["num_elements"] for row in rows)) < 0.02


def test_durations_are_long_tailed(rows: list[dict[str, Any]]) -> None:
    item = load_taxonomy()["screen_notice"]
    spans = [e["stop"] - e["start"] for row in rows for e in json.loads(row["elements"]) if e["cls"] == item.name]
    limit = round(item.duration_max_s * 30)
    law = stats.lognorm(s=SynthConfig().popup_sigma, scale=item.duration_median_s * 30)
    inside = [s for s in spans if 10 < s < limit]
    low, high = law.cdf(10.5), law.cdf(limit - 0.5)
    # the continuous law against whole frames: a KS test at a level that forgives the rounding
    assert stats.kstest([s + 0.0 for s in inside], lambda s: (law.cdf(s) - low) / (high - low)).statistic < 0.05
    assert math.isclose(sorted(spans)[len(spans) // 2], item.duration_median_s * 30, rel_tol=0.08)


def test_zone_sampled_elements_lie_in_the_zones_of_their_class(rows: list[dict[str, Any]]) -> None:
    taxonomy, seen = load_taxonomy(), Counter[str]()
    for row in rows[:1500]:
        for element in json.loads(row["elements"]):
            if element["placed"] == "zone":
                assert element["zone"] in taxonomy[element["cls"]].zones
                seen[element["cls"]] += 1
    assert set(seen) == set(taxonomy.names)


def _boxes(row: dict[str, Any], frame: int) -> list[Placed]:
    """What the elements take up at a frame: with their effects, and where their path has taken them."""
    boxes = []
    for e in json.loads(row["elements"]):
        if e["start"] <= frame < e["stop"]:
            pad, (dx, dy) = padding(e.get("effects", {})), at(e.get("path", [[0, 0, 0]]), frame)
            x, y, w, h = e["x"] + dx - pad, e["y"] + dy - pad, e["w"] + 2 * pad, e["h"] + 2 * pad
            boxes.append(Placed(e["cls"], x, y, w, h, e["start"], e["stop"]))
    return boxes


def test_elements_fit_the_screen_and_never_collide(rows: list[dict[str, Any]]) -> None:
    stacked = 0
    for row in rows[:600]:
        stacked += sum(e["placed"] == "stacked" for e in json.loads(row["elements"]))
        for frame in range(0, 150, 5):
            boxes = _boxes(row, frame)
            assert all(b.x >= 0 and b.y >= 0 and b.x + b.w <= 1280 and b.y + b.h <= 720 for b in boxes)
            assert not any(collides(box, boxes[:k], 0.14) for k, box in enumerate(boxes)), (row["pair_id"], frame)
    assert stacked > 20


def test_splits_never_share_an_asset(library: Library, clips: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    bench = sample_recipes(clips, library[1], count=300, seed=3, split="bench")
    style = {row["asset_id"]: row["style_set"] for row in library[1]}
    for part, letter, game in ((rows, "a", "MAP"), (bench, "b", "E1M1")):
        used = {style[e["asset_id"]] for row in part for e in json.loads(row["elements"])}
        assert used == {letter} and all(row["game"].startswith(game) for row in part)


def test_assets_waiting_for_review_are_not_used(library: Library, clips: list[dict[str, Any]]) -> None:
    waiting = [dict(row, verdict="needs_review") if row["cls"] == "subtitle" else row for row in library[1]]
    with pytest.raises(ValueError, match="subtitle"):
        sample_recipes(clips, waiting, count=1, seed=0, split="train")


def test_bad_inputs_are_named(library: Library, clips: list[dict[str, Any]]) -> None:
    with pytest.raises(ValueError, match="split is 'test'"):
        sample_recipes(clips, library[1], count=1, seed=0, split="test")
    with pytest.raises(ValueError, match="none of the 0"):
        sample_recipes([], library[1], count=1, seed=0, split="train")
    with pytest.raises(ValueError, match="control_rate"):
        dataclasses.replace(SynthConfig(), control_rate=2.0)
