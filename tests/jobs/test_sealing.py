from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from g2w.lineage.lake import Lake
from jobs.sealing import list_videos, seal_folder


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_late_videos_go_to_a_new_batch(tmp_path: Path) -> None:
    lake, inbox = Lake(str(tmp_path / "lake")), tmp_path / "inbox"
    put(inbox, "游戏 ü 100%.mp4", b"one")
    put(inbox, "sub/two.MKV", b"two")
    put(inbox, "notes.txt", b"no video")
    first = seal_folder(lake, inbox)
    assert first is not None and first.key == "b00001" and len(first.sources) == 2
    assert seal_folder(lake, inbox) is None, "everything is sealed"
    put(inbox, "three.mp4", b"three")
    put(inbox, "copy of one.mp4", b"one")
    second = seal_folder(lake, inbox)
    assert second is not None and second.key == "b00002"
    assert [source.name for source in second.sources] == ["three.mp4"], "the same bytes are one video"


def test_a_file_that_changed_under_its_path_is_a_new_video(tmp_path: Path) -> None:
    lake, inbox = Lake(str(tmp_path / "lake")), tmp_path / "inbox"
    put(inbox, "a.mp4", b"before")
    seal_folder(lake, inbox)
    put(inbox, "a.mp4", b"after!!")
    again = seal_folder(lake, inbox)
    assert again is not None and again.key == "b00002"


def test_files_that_are_still_written_wait_and_loops_end(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    old, new = put(inbox, "old.mp4", b"1"), put(inbox, "new.mp4", b"2")
    os.utime(old, (time.time() - 3600,) * 2)
    (inbox / "loop").symlink_to(inbox, target_is_directory=True)
    assert list_videos(inbox, settle_s=60) == [old]
    assert list_videos(inbox) == [new, old]
    with pytest.raises(FileNotFoundError, match="not a folder"):
        list_videos(tmp_path / "nowhere")
