"""The gallery's choice of pairs; its pages are tested from the outside in `tests/jobs/test_pages.py`."""

from __future__ import annotations

import itertools

import pytest

from g2w.pages.pairs import choose_evenly


@pytest.mark.parametrize(("total", "limit"), [(0, 3), (3, 24), (24, 24), (25, 24), (2000, 24), (7, 1)])
def test_a_choice_is_spread_evenly(total: int, limit: int) -> None:
    rows = [{"pair_id": k} for k in range(total)]
    chosen = [row["pair_id"] for row in choose_evenly(rows, limit)]
    assert len(chosen) == min(total, limit) == len(set(chosen)) and chosen == sorted(chosen)
    if total > limit > 1:
        gaps = [b - a for a, b in itertools.pairwise(chosen)]
        assert max(gaps) - min(gaps) <= 1
