"""Random generators of a recipe row: one for every group of knobs and every element, so that none shifts another."""

from __future__ import annotations

import random
from collections.abc import Sequence

from g2w.synth.config import GROUPS

_STREAMS = ("row", "base", "place", "change", "members", "wander", *GROUPS)
_MAX_ELEMENTS = 64


def chance(seed: int, stream: str, element: int = 0) -> random.Random:
    """The generator of `stream` (a step of the planning or a group) for the pair (element 0) or for its element number 1..63.

    Raises:
        ValueError: for another stream or element.
    """
    if stream not in _STREAMS or not 0 <= element < _MAX_ELEMENTS:
        raise ValueError(f"no generator {stream!r} / {element}: use one of {_STREAMS} and 0..{_MAX_ELEMENTS - 1}")
    return random.Random((seed * len(_STREAMS) + _STREAMS.index(stream)) * _MAX_ELEMENTS + element)


def weighted(rng: random.Random, weights: Sequence[tuple[str, float]]) -> str:
    """One name by its weight."""
    return rng.choices([name for name, _ in weights], [weight for _, weight in weights])[0]
