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
from g2w.synth.layout import Placed, collides
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


def test_elements_fit_the_screen_and_do_not_collide(rows: list[dict[str, Any]]) -> None:
    for row in rows[:500]:
        placed: list[Placed] = []
        for e in json.loads(row["elements"]):
            assert e["x"] >= 0 and e["y"] >= 0 and e["x"] + e["w"] <= 1280 and e["y"] + e["h"] <= 720
            assert 0 <= e["start"] < e["stop"] <= row["num_frames"]
            box = Placed(e["cls"], e["x"], e["y"], e["w"], e["h"], e["start"], e["stop"])
            assert not collides(box, placed, 0.14)
            placed.append(box)


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
