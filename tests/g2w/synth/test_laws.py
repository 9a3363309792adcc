"""The recipe table against the specification: chi-square, binomial and z tests, all classes, one family-wise level."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from g2w.synth import laws
from g2w.synth.config import SynthConfig
from g2w.synth.recipe import sample_recipes

Library = tuple[Path, list[dict[str, Any]]]
# Every table runs about 90 tests; a sound program fails one of them once in a thousand tables (Bonferroni).
FAMILY_LEVEL = 1e-3
FREE = dataclasses.replace(SynthConfig(), overlap_threshold=1.0)  # nothing collides, so nothing is moved or dropped


def _plan(library: Library, clips: list[dict[str, Any]], count: int, config: SynthConfig) -> list[dict[str, Any]]:
    return sample_recipes(clips, library[1], count=count, seed=11, split="train", config=config)


def _broken_laws(rows: list[dict[str, Any]], free: list[dict[str, Any]]) -> dict[str, float]:
    found = laws.count_laws(rows) | laws.share_law(rows) | laws.animation_laws(free)
    found |= laws.duration_laws(free, FREE) | laws.zone_laws(free) | laws.position_laws(free, FREE)
    assert len(found) > 70
    level = FAMILY_LEVEL / len(found)
    return {name: value for name, value in found.items() if value < level}


def test_a_table_of_4000_follows_the_laws(library: Library, clips: list[dict[str, Any]]) -> None:
    assert not _broken_laws(_plan(library, clips, 4000, SynthConfig()), _plan(library, clips, 4000, FREE))


def test_a_wrong_law_is_noticed(library: Library, clips: list[dict[str, Any]]) -> None:
    rows = _plan(library, clips, 1500, dataclasses.replace(FREE, popup_sigma=0.4, jitter_px=5))
    level = FAMILY_LEVEL / 90
    assert min(laws.duration_laws(rows, FREE).values()) < level
    assert min(laws.position_laws(rows, FREE).values()) < level


def test_an_animation_or_zone_of_another_class_is_noticed(library: Library, clips: list[dict[str, Any]]) -> None:
    rows = _plan(library, clips, 300, FREE)
    for key, value, law in (
        ("animation", "border_arc", laws.animation_laws),
        ("zone", "C", laws.zone_laws),
    ):
        name = f"{key} of {'event_feed' if key == 'animation' else 'chat_comms'}"
        cls = name.rpartition(" ")[2]
        changed = [
            {
                **row,
                "elements": json.dumps(
                    [{**e, key: value} if e["cls"] == cls else e for e in json.loads(row["elements"])]
                ),
            }
            for row in rows
        ]
        assert law(changed)[name] == 0.0


@pytest.mark.slow
def test_the_table_of_96000_follows_the_laws(library: Library, clips: list[dict[str, Any]]) -> None:
    rows = _plan(library, clips, 96_000, SynthConfig())
    dropped = sum(row["num_dropped"] for row in rows)
    assert dropped / (dropped + sum(row["num_elements"] for row in rows)) < 0.02
    assert not _broken_laws(rows, _plan(library, clips, 96_000, FREE))
