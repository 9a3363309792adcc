from __future__ import annotations

import json
from pathlib import Path

import pytest

from g2w.video.source_card import read_source_card

GOOD = {
    "source": "vizdoom",
    "game": "freedoom2/MAP03",
    "genre": "fps",
    "hud": "a1",
    "split": "train",
    "twin": None,
    "episode": "e7",
    "licence": "BSD-3-Clause",
    "recipe": {"seed": 3},
}


def test_a_card_is_read(tmp_path: Path) -> None:
    (tmp_path / "clip.v1.source.json").write_text(json.dumps(GOOD))
    card = read_source_card(tmp_path / "clip.v1.mp4")
    assert card == {**{k: v for k, v in GOOD.items() if k != "recipe"}, "card": "ok"}


def test_no_card_is_wild(tmp_path: Path) -> None:
    card = read_source_card(tmp_path / "游戏 [x].mp4")
    assert (card["game"], card["split"], card["hud"], card["card"]) == (
        "unknown/游戏 [x]",
        "wild",
        "unknown",
        "missing",
    )


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        '{"game": "x"}',
        json.dumps({**GOOD, "split": "Train"}),
        json.dumps({**GOOD, "game": ""}),
        json.dumps({**GOOD, "hud": ["a"]}),
        "x" * 70_000,
    ],
)
def test_a_bad_card_never_gets_a_video_into_training(tmp_path: Path, text: str) -> None:
    (tmp_path / "clip.source.json").write_text(text)
    card = read_source_card(tmp_path / "clip.mp4")
    assert (card["card"], card["split"], card["game"]) == ("invalid", "wild", "unknown/clip")
