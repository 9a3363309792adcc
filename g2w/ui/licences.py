"""Under which licences a library stands, and whom it names: what somebody who hands it on has to know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

LICENCES = "licences.json"


def licences_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per licence, attribution and source of the assets whose picture is in the library: licence, attribution
    (for cut elements it names the game), source (drawn or extracted), num_assets; sorted."""
    counts = Counter((row["licence"], row["attribution"], row["source"]) for row in rows if row["path"])
    return [
        {"licence": licence, "attribution": attribution, "source": source, "num_assets": count}
        for (licence, attribution, source), count in sorted(counts.items())
    ]
