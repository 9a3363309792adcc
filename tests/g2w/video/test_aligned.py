from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from g2w.video.aligned import ACTIONS_SCHEMA, ELEMENTS_SCHEMA, Placement, SideTableError, align_actions, align_elements


def actions(path: Path, num_rows: int = 12, **changes: object) -> Path:
    rows = [
        {
            "frame_index": i,
            "w": i == 3,
            "a": False,
            "s": False,
            "d": False,
            "attack": i >= 8,
            "use": False,
            "sprint": False,
            "mouse_dx": float(i),
            "mouse_dy": -0.5,
            "x": 10.0 * i,
            "y": 0.0,
            "z": 0.0,
            "yaw": 1.0 * i,
            "pitch": 0.0,
            "valid": i != 10,
            **changes,
        }
        for i in range(num_rows)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_equal_rates_keep_every_row(tmp_path: Path) -> None:
    table = align_actions(actions(tmp_path / "a.parquet"), range(2, 7))
    assert table.schema == ACTIONS_SCHEMA
    assert table["frame_index"].to_pylist() == [0, 1, 2, 3, 4]
    assert table["mouse_dx"].to_pylist() == [2, 3, 4, 5, 6] and table["x"].to_pylist() == [20, 30, 40, 50, 60]
    assert table["w"].to_pylist() == [False, True, False, False, False] and all(table["valid"].to_pylist())


def test_turns_add_up_and_keys_last_over_skipped_frames(tmp_path: Path) -> None:
    table = align_actions(actions(tmp_path / "a.parquet"), [0, 2, 4, 6])
    assert table["mouse_dx"].to_pylist() == [0 + 1, 2 + 3, 4 + 5, 6 + 7]
    assert table["mouse_dy"].to_pylist() == [-1.0] * 4
    assert table["w"].to_pylist() == [False, True, False, False]


def test_held_frames_turn_nothing(tmp_path: Path) -> None:
    table = align_actions(actions(tmp_path / "a.parquet"), [3, 3, 4, 4])
    assert table["mouse_dx"].to_pylist() == [0, 3, 0, 4]
    assert table["w"].to_pylist() == [True, True, False, False]


def test_what_is_missing_or_invalid_says_so(tmp_path: Path) -> None:
    path = actions(tmp_path / "a.parquet")
    assert align_actions(path, [8, 9, 10, 11])["valid"].to_pylist() == [True, True, False, True]
    beyond = align_actions(path, [10, 11, 12, 13])
    assert (
        beyond["valid"].to_pylist() == [False, True, False, False] and beyond["attack"].to_pylist()[2:] == [False] * 2
    )


@pytest.mark.parametrize("fault", ["column", "type", "hole", "text"])
def test_wrong_tables_are_named(tmp_path: Path, fault: str) -> None:
    path = actions(tmp_path / "a.parquet")
    table = pq.read_table(path)
    if fault == "column":
        pq.write_table(table.drop_columns(["mouse_dx"]), path)
    elif fault == "type":
        pq.write_table(table.set_column(8, "mouse_dx", pa.array(["left"] * 12)), path)
    elif fault == "hole":
        pq.write_table(table.set_column(8, "mouse_dx", pa.array([None] + [1.0] * 11)), path)
    else:
        path.write_text("hello")
    with pytest.raises(SideTableError, match=r"a\.parquet"):
        align_actions(path, [0, 1])


def test_boxes_follow_frames_and_canvas(tmp_path: Path) -> None:
    rows = [
        {
            "frame_index": i,
            "element_id": e,
            "cls": "crosshair",
            "x": 10 * i,
            "y": 4,
            "w": 20,
            "h": 10,
            "visible": i != 2,
        }
        for i in (3, 0, 2, 1)
        for e in ("p", "q")
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "e.parquet")
    table = align_elements(tmp_path / "e.parquet", [1, 2, 2, 9], Placement(2.0, 3.0, 5, -7))
    assert table.schema == ELEMENTS_SCHEMA
    assert table["frame_index"].to_pylist() == [0, 0, 1, 1, 2, 2] and table["element_id"].to_pylist() == ["p", "q"] * 3
    assert np.array_equal(
        table.select(["x", "y", "w", "h"]).to_pandas().to_numpy()[::2], [[25, 5, 40, 30]] + [[45, 5, 40, 30]] * 2
    )
    assert table["visible"].to_pylist() == [True] * 2 + [False] * 4
