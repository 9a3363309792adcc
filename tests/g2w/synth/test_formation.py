from __future__ import annotations

import random

import pytest

from g2w.synth.formation import arrange, choose_members, feed_paths
from g2w.synth.layout import Placed
from g2w.synth.motion import at
from g2w.ui.taxonomy import load_taxonomy

SIZES = [(200, 60), (120, 90), (150, 40)]


def test_rows_share_their_edge_and_keep_their_gap() -> None:
    spots = arrange("row", "BL", SIZES, 10, 20)
    assert all(spot is not None for spot in spots)
    ends = [spot[1] + h for spot, (_, h) in zip(spots, SIZES, strict=True) if spot]
    assert set(ends) == {700}
    assert spots[0] == (20, 640) and spots[1] == (230, 610) and spots[2] == (360, 660)


def test_columns_stack_on_their_side() -> None:
    spots = arrange("column", "TR", SIZES, 6, 30)
    assert [spot[0] + w for spot, (w, _) in zip(spots, SIZES, strict=True) if spot] == [1250] * 3
    assert [spot[1] for spot in spots if spot] == [30, 96, 192]


def test_grids_have_two_columns() -> None:
    spots = arrange("grid", "TL", [(100, 50)] * 4, 10, 0)
    assert spots == [(0, 0), (110, 0), (0, 60), (110, 60)]


def test_mirrored_pairs_have_the_same_distance_to_both_edges() -> None:
    spots = arrange("mirror", "BL", [(200, 60), (120, 90), (50, 50), (80, 40)], 10, 24)
    assert spots[0] == (24, 636) and spots[1] == (1280 - 24 - 120, 606)
    assert spots[2] == (24, 720 - 24 - 90 - 10 - 50) and spots[3] == (1280 - 24 - 80, 720 - 24 - 90 - 10 - 40)


def test_what_does_not_fit_has_no_place() -> None:
    assert arrange("row", "TL", [(700, 50), (700, 50)], 10, 20)[1] is None
    with pytest.raises(ValueError, match="circle"):
        arrange("circle", "TL", SIZES, 1, 1)


def test_members_are_lasting_and_free_to_move() -> None:
    taxonomy = load_taxonomy()
    for seed in range(50):
        members = choose_members(random.Random(seed), taxonomy.classes)
        names = {taxonomy.classes[k].name for k in members}
        assert 2 <= len(members) <= 4 and not names & {"crosshair", "watermark", "stream_overlay"}
        assert all(not taxonomy[name].is_popup for name in names)
    assert choose_members(random.Random(0), [taxonomy["crosshair"], taxonomy["map_radar"]]) == []


def test_new_feed_rows_push_the_old_ones_and_never_cover_them() -> None:
    rows = [Placed("event_feed", 0, 0, 100, h, start, 120) for h, start in ((30, 0), (20, 40), (25, 43))]
    paths = feed_paths(rows, 4, 6)
    tops = [
        [at(path, frame)[1] if row.start <= frame else None for path, row in zip(paths, rows, strict=True)]
        for frame in range(120)
    ]
    assert tops[0] == [0, None, None] and tops[33][0] == 0 < tops[36][0] < 24
    assert tops[60] == [53, 29, 0]  # newest on top, then the gaps and heights of what came after
    for line in tops:
        shown = [(top, top + row.h) for top, row in zip(line, rows, strict=True) if top is not None]
        for (a, b), (c, d) in ((x, y) for i, x in enumerate(shown) for y in shown[:i]):
            assert b <= c or d <= a, line
