from __future__ import annotations

import pytest

from g2w.synth.chance import chance, weighted


def test_streams_and_elements_are_independent_and_repeatable() -> None:
    numbers = {(stream, k): chance(7, stream, k).random() for stream in ("base", "codec", "motion") for k in range(5)}
    assert len(set(numbers.values())) == 15
    assert chance(7, "motion", 3).random() == numbers["motion", 3] != chance(8, "motion", 3).random()


def test_weights_of_zero_are_never_drawn() -> None:
    rng = chance(1, "codec")
    assert {weighted(rng, (("x", 0.0), ("y", 1.0), ("z", 1.0))) for _ in range(200)} == {"y", "z"}


def test_unknown_streams_are_refused() -> None:
    with pytest.raises(ValueError, match="'weather'"):
        chance(1, "weather")
    with pytest.raises(ValueError, match="64"):
        chance(1, "base", 64)
