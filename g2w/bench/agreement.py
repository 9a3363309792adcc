"""How well two raters agree on categories, beyond what chance would give."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two ratings of the same things; None where chance agreement is complete.

    Raises:
        ValueError: for ratings of different length, or none at all.
    """
    if len(first) != len(second) or not len(first):
        raise ValueError(f"kappa needs two ratings of the same things, got {len(first)} and {len(second)}")
    names = sorted({*first, *second}, key=str)
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(names), len(names)))
    for a, b in zip(first, second, strict=True):
        table[place[a], place[b]] += 1
    table /= table.sum()
    chance = float(table.sum(axis=1) @ table.sum(axis=0))
    return None if chance >= 1 else float((np.trace(table) - chance) / (1 - chance))
