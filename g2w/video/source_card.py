"""The card beside a source video: what its maker says about it. Read at the door, checked, never trusted blindly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DEFAULTS: dict[str, str | None] = {
    "source": "wild",
    "game": None,
    "genre": "unknown",
    "hud": "unknown",
    "split": "wild",
    "twin": None,
    "episode": None,
    "licence": "unknown",
    "card": "missing",
}
SPLITS = ("train", "bench", "wild")
MAX_BYTES = 64_000
_TEXT = ("source", "game", "genre", "hud", "split", "twin", "episode", "licence")


def read_source_card(path: str | Path) -> dict[str, Any]:
    """Facts of `<stem>.source.json` beside a video.

    Returns:
        source, game, genre, hud, split, twin, episode, licence (text or None), and `card`: "ok", "missing" or
        "invalid". Without a valid card the game is "unknown/<stem>" and the split "wild", so that nothing of unknown
        origin gets into training or the benchmark by accident.
    """
    path = Path(path)
    facts = {**DEFAULTS, "game": f"unknown/{path.stem}"}
    beside = path.with_name(path.stem + ".source.json")
    if not beside.is_file():
        return facts
    try:
        if beside.stat().st_size > MAX_BYTES:
            return {**facts, "card": "invalid"}
        raw = json.loads(beside.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        return {**facts, "card": "invalid"}
    if not _is_valid(raw):
        return {**facts, "card": "invalid"}
    known = {key: (str(raw[key]) if raw.get(key) is not None else None) for key in _TEXT if key in raw}
    return {**facts, **known, "card": "ok"}


def _is_valid(raw: object) -> bool:
    if not isinstance(raw, dict) or raw.get("split") not in SPLITS:
        return False
    if not isinstance(raw.get("game"), str) or not raw["game"]:
        return False
    return all(raw.get(key) is None or isinstance(raw[key], (str, int)) for key in _TEXT)
