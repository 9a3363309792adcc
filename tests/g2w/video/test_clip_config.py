from __future__ import annotations

import re

import pytest

from g2w.video.clip_config import ClipConfig, clip_id_of, regular_spans


def test_a_name_depends_on_content_place_and_recipe_only() -> None:
    names = {
        clip_id_of("aa", 0, ClipConfig()),
        clip_id_of("ab", 0, ClipConfig()),
        clip_id_of("aa", 150, ClipConfig()),
        clip_id_of("aa", 0, ClipConfig(crf=20)),
        clip_id_of("aa", 0, ClipConfig(policy="crop")),
    }
    assert len(names) == 5 and all(re.fullmatch(r"[a-z0-9_-]+", name) for name in names)
    assert clip_id_of("aa", 0, ClipConfig(threads=4)) == clip_id_of("aa", 0, ClipConfig())


def test_spans_stay_inside_shots_and_lose_nothing() -> None:
    whole, rest = regular_spans({"shots": "[[0, 310], [310, 459], [500, 650]]"}, ClipConfig())
    assert [(s.shot_id, s.clip_index, s.start_frame) for s in whole] == [(0, 0, 0), (0, 1, 150), (2, 0, 500)]
    assert [(s.start_frame, len(s.frames)) for s in rest] == [(300, 10), (310, 149)]


@pytest.mark.parametrize("wrong", [{"num_frames": 0}, {"width": 1281}, {"policy": "stretch"}, {"threads": 0}])
def test_wrong_configurations_are_refused(wrong: dict) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        ClipConfig(**wrong)
