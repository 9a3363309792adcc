"""Which episodes a preset records."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from g2w.footage.episode import RECIPE_VERSION, EpisodeConfig, render_episode
from g2w.footage.hud import STYLES

__all__ = ["EpisodeConfig", "demo_plan", "episode_from_recipe", "footage_recipe", "render_episode"]

CLEAN_MAPS = ("MAP01", "MAP02", "MAP03", "MAP08", "MAP09", "MAP10", "MAP11", "MAP13", "MAP15", "MAP20")
WILD_MAPS = ("MAP04", "MAP06", "MAP12", "MAP18", "MAP07")
BENCH_MAPS = ("E1M1", "E1M2", "E2M2", "E2M4", "E3M1", "E3M3", "E4M6", "E1M4")
"""Maps whose beginnings are open: where a player starts in a closet, half an episode is a wall."""

SIZES = {
    # preset: (frames of a clean episode, of a wild one, of a twin; repeats with other seeds)
    "tiny": (300, 300, 150, 1),
    "dev": (1500, 1500, 450, 4),
    "paper": (3000, 3000, 450, 20),
}


def demo_plan(preset: str, *, share: float = 1.0) -> list[EpisodeConfig]:
    """Episodes of a preset: clean training footage, wild footage with the HUDs of set a, benchmark twins with set b.

    Args:
        preset: tiny, dev or paper.
        share: part of each kind to record, at least one episode of it.
    """
    if preset not in SIZES:
        raise ValueError(f"unknown preset {preset!r}; choose one of {', '.join(SIZES)}")
    clean_frames, wild_frames, twin_frames, repeats = SIZES[preset]
    a, b = [s for s in STYLES if s[0] == "a"], [s for s in STYLES if s[0] == "b"]
    episodes = []
    for repeat in range(repeats):
        base = 1_000 * repeat
        clean = [EpisodeConfig("freedoom2", name, base + 100 + i, clean_frames) for i, name in enumerate(CLEAN_MAPS)]
        wild = [
            EpisodeConfig("freedoom2", name, base + 200 + i, wild_frames, a[i % len(a)])
            for i, name in enumerate(WILD_MAPS)
        ]
        twins = [
            EpisodeConfig("freedoom1", name, base + 300 + i, twin_frames, b[i % len(b)], twin=True)
            for i, name in enumerate(BENCH_MAPS)
        ]
        episodes += [*_part(clean, share), *_part(wild, share), *_part(twins, share)]
    return episodes


def _part(episodes: list[EpisodeConfig], share: float) -> list[EpisodeConfig]:
    return episodes[: max(1, round(len(episodes) * share))]


def footage_recipe(config: EpisodeConfig) -> dict[str, Any]:
    """An episode as JSON, with the version that gives it its meaning: finished work of another version is not reused."""
    return {"version": RECIPE_VERSION, **asdict(config)}


def episode_from_recipe(recipe: dict[str, Any]) -> EpisodeConfig:
    """The episode of a recipe, validated again.

    Raises:
        ValueError: for a recipe of another version.
    """
    if recipe["version"] != RECIPE_VERSION:
        raise ValueError(f"recipe version is {recipe['version']}, this code renders {RECIPE_VERSION}; plan again")
    return EpisodeConfig(**{key: value for key, value in recipe.items() if key != "version"})
