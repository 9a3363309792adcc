from __future__ import annotations

import pytest

from g2w.footage.hud import STYLES
from g2w.footage.plan import demo_plan, episode_from_recipe, footage_recipe


def test_the_tiny_plan_keeps_games_and_styles_apart() -> None:
    plan = demo_plan("tiny")
    train, bench = ([e for e in plan if e.wad == wad] for wad in ("freedoom2", "freedoom1"))
    assert {e.hud[0] for e in train if e.hud != "none"} == {"a"} and {e.hud[0] for e in bench} == {"b"}
    assert not {e.map for e in train} & {e.map for e in bench}
    assert len({e.name for e in plan}) == len(plan)
    assert all(e.twin for e in bench) and len(bench) == 8
    frames = sum(e.num_frames * (2 if e.twin else 1) for e in plan)
    assert 6_000 <= frames <= 7_500
    assert {e.hud for e in plan} == {"none", *STYLES}
    assert not {e.map for e in train if e.hud == "none"} & {e.map for e in train if e.hud != "none"}


def test_recipes_round_trip_and_sizes_grow() -> None:
    plan = demo_plan("tiny")
    assert [episode_from_recipe(footage_recipe(e)) for e in plan] == plan
    assert len(demo_plan("tiny", share=0.01)) == 3
    assert len(demo_plan("paper")) > len(demo_plan("dev")) > len(plan)
    with pytest.raises(ValueError, match="recipe version is 1"):
        episode_from_recipe({**footage_recipe(plan[0]), "version": "1"})
    with pytest.raises(ValueError, match="unknown preset"):
        demo_plan("huge")
