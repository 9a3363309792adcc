"""The accepted assets of one style set, ready to be drawn from: by class, theme and writing system, and loose parts.

The theme of a drawn asset reads "a03" for whole elements in Latin letters, "a03:arabic" for the same game in another
writing system, "a03:bar" and "a03:icon" for the parts of a hotbar.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from g2w.ui.taxonomy import load_taxonomy

Row = Mapping[str, Any]
PARTS = ("bar", "icon")


class Shelf:
    """Assets of a style set in a stable order.

    Raises:
        ValueError: if a class has no accepted asset.
    """

    def __init__(self, library: Sequence[Row], style_set: str) -> None:
        self._by_class: dict[str, list[Row]] = {}
        self._by_theme: dict[tuple[str, str], list[Row]] = {}
        self._by_script: dict[tuple[str, str], list[Row]] = {}
        self.parts: dict[str, list[Row]] = {kind: [] for kind in PARTS}
        for row in sorted(library, key=lambda row: row["asset_id"]):
            if row["style_set"] != style_set or row.get("verdict", "accepted") != "accepted":
                continue
            theme, _, variant = (row.get("theme") or "").partition(":")
            if variant in PARTS:
                self.parts[variant].append(row)
            elif variant:
                self._by_script.setdefault((row["cls"], variant), []).append(row)
            else:
                self._by_class.setdefault(row["cls"], []).append(row)
                self._by_theme.setdefault((row["cls"], theme), []).append(row)
        self.themes = sorted({theme for _, theme in self._by_theme if theme})
        missing = sorted(set(load_taxonomy().names) - set(self._by_class))
        if missing:
            raise ValueError(f"the library has no accepted asset of style set {style_set!r} for: {', '.join(missing)}")

    def pick(self, rng: random.Random, cls: str, theme: str) -> Row:
        """A whole element of a class, of the theme where it has one."""
        return rng.choice(self._by_theme.get((cls, theme)) or self._by_class[cls])

    def localized(self, rng: random.Random, cls: str, script: str) -> Row | None:
        """An element of a class in another writing system; None where the library has none."""
        found = self._by_script.get((cls, script))
        return rng.choice(found) if found else None
