from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from g2w.curation.ui_presence import PersistentEdges, UiPresenceConfig


def measure(frames: np.ndarray) -> dict:
    edges = PersistentEdges()
    for frame in frames:
        edges.add(frame)
    return edges.measure()


def test_a_moving_world_without_interface_is_clean(scene: SimpleNamespace) -> None:
    row = measure(scene.add_weapon(scene.world(30), bob=12))
    assert row["ui_present"] is False and row["ui_edge_px"] == 0 and row["ui_presence"] == 0.0


@pytest.mark.parametrize("alpha", [0.9, 0.5])
def test_an_interface_is_seen(scene: SimpleNamespace, alpha: float) -> None:
    row = measure(scene.add_interface(scene.add_weapon(scene.world(30), bob=12), alpha=alpha))
    assert row["ui_present"] is True and row["ui_edge_px"] > 300 and row["ui_presence"] > 0.9


def test_an_interface_of_half_the_clip_is_seen(scene: SimpleNamespace) -> None:
    row = measure(scene.add_interface(scene.world(30), first=15))
    assert row["ui_present"] is True and row["ui_edge_px"] < 30 <= row["ui_half_edge_px"]


def test_a_weapon_that_does_not_bob_is_no_interface(scene: SimpleNamespace) -> None:
    row = measure(scene.add_weapon(scene.world(30), bob=0))
    assert row["ui_zone_edge_px"] > 100 and row["ui_edge_px"] == 0
    assert row["ui_present"] is not True


def test_a_world_that_stands_still_says_nothing(scene: SimpleNamespace) -> None:
    still = np.repeat(scene.add_interface(scene.world(1)), 30, axis=0)
    row = measure(still)
    assert row["ui_present"] is None and row["ui_samples"] == 1 and row["ui_edge_px"] is None
    # standing still for most of the clip does not hide that nothing moved with the interface
    mixed = np.concatenate([np.repeat(scene.world(1), 40, axis=0), scene.world(20)])
    assert measure(mixed)["ui_present"] is False


def test_wrong_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="absent must be below present"):
        UiPresenceConfig(absent_px=40)


@pytest.mark.slow
@pytest.mark.parametrize("hud", ["b1", "b3", "b4"])
def test_twins_of_a_real_game_are_told_apart(tmp_path: Path, hud: str) -> None:
    """No false-clean clip among twins rendered by the engine with and without an interface."""
    from g2w.curation.scores import score_clip
    from g2w.footage.episode import EpisodeConfig, render_episode

    render_episode(EpisodeConfig("freedoom1", "E2M4", 900, 150, hud=hud, twin=True), tmp_path)
    found = {path.stem.endswith("-clean"): score_clip(path)["ui_present"] for path in tmp_path.glob("*.mp4")}
    assert found == {True: False, False: True}
