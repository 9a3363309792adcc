from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from g2w.video.masks import ALPHA, IDS, MaskWriter, iter_masks


def planes(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, 90, 160), dtype=np.uint8)


def test_masks_come_back_byte_for_byte(tmp_path: Path) -> None:
    alpha, ids = planes(7), planes(8)[1:]
    with MaskWriter(tmp_path / "m.parquet", width=160, height=90, planes=(ALPHA, IDS)) as writer:
        for a, b in zip(alpha, ids, strict=True):
            writer.write(a, b)
    assert np.array_equal(np.stack(list(iter_masks(tmp_path / "m.parquet"))), alpha)
    assert np.array_equal(np.stack(list(iter_masks(tmp_path / "m.parquet", IDS))), ids)


def test_a_row_stands_for_as_long_as_nothing_changes(tmp_path: Path) -> None:
    first, second = planes(2)
    room = first.copy()
    with MaskWriter(tmp_path / "m.parquet", width=160, height=90) as writer:
        for mask in (first, first, room):
            writer.write(mask)
        room[...] = second  # the writer's own copy must not follow
        for mask in (room, second, first):
            writer.write(mask)
    table = pq.read_table(tmp_path / "m.parquet")
    assert table["first_frame"].to_pylist() == [0, 3, 5] and table["num_frames"].to_pylist() == [3, 2, 1]
    assert (table["height"].to_pylist(), table["width"].to_pylist()) == ([90] * 3, [160] * 3)
    seen = list(iter_masks(tmp_path / "m.parquet"))
    for mask, wanted in zip(seen, (first, first, first, second, second, first), strict=True):
        assert np.array_equal(mask, wanted) and not mask.flags.writeable
    assert seen[0] is seen[2]


def test_parts_of_larger_arrays_are_written_as_they_look(tmp_path: Path) -> None:
    large = planes(1)[0]
    large.setflags(write=False)
    with MaskWriter(tmp_path / "m.parquet", width=40, height=30) as writer:
        writer.write(large[10:40, 20:60])
    assert np.array_equal(next(iter_masks(tmp_path / "m.parquet")), large[10:40, 20:60])


def test_a_video_without_frames_has_no_masks(tmp_path: Path) -> None:
    MaskWriter(tmp_path / "m.parquet", width=40, height=30).close()
    assert list(iter_masks(tmp_path / "m.parquet")) == []


def test_what_does_not_fit_is_named_and_leaves_no_file(tmp_path: Path) -> None:
    (mask,) = planes(1)
    for wrong in ((mask[1:],), (mask.astype(np.float32),), (mask, mask), ()):
        with (
            pytest.raises(ValueError, match=r"frame 1 must be 1 planes \(alpha\)"),
            MaskWriter(tmp_path / "m.parquet", width=160, height=90) as writer,
        ):
            writer.write(mask)
            writer.write(*wrong)
        assert not list(tmp_path.iterdir())
    with MaskWriter(tmp_path / "m.parquet", width=160, height=90) as writer:
        writer.write(mask)
    with pytest.raises(ValueError, match="no plane 'ids', only alpha"):
        next(iter_masks(tmp_path / "m.parquet", IDS))
