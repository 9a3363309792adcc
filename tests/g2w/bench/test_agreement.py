"""Kappa against textbook tables."""

from __future__ import annotations

import pytest

from g2w.bench.agreement import cohen_kappa


def ratings(table: list[list[int]]) -> tuple[list[int], list[int]]:
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


@pytest.mark.parametrize(
    ("table", "kappa"),
    [([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.4915), ([[20, 5], [10, 15]], 0.4), ([[7, 0], [0, 5]], 1.0)],
)
def test_textbook(table: list[list[int]], kappa: float) -> None:
    assert cohen_kappa(*ratings(table)) == pytest.approx(kappa, abs=5e-5)


def test_undefined_and_refused() -> None:
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None
    with pytest.raises(ValueError, match="same things"):
        cohen_kappa([1], [1, 2])
