from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from g2w.video.probe import probe_file
from g2w.video.read import read_frames
from g2w.video.remux import copy_spans, idr_frames, is_canonical
from g2w.video.write import write_video

FORM = {"width": 320, "height": 180, "fps": 30}


def test_copied_spans_hold_the_very_frames(video: SimpleNamespace, tmp_path: Path) -> None:
    source = tmp_path / "source.mp4"
    write_video(source, [video.picture(i) for i in range(100)])
    assert idr_frames(source, [0, 10, 30, 60, 61]) == {0, 30, 60}
    copy_spans(source, {0: tmp_path / "a.mp4", 60: tmp_path / "b.mp4"}, 40)
    whole = read_frames(source)
    assert (read_frames(tmp_path / "a.mp4") == whole[:40]).all()
    assert (read_frames(tmp_path / "b.mp4") == whole[60:]).all()
    copy_spans(source, {60: tmp_path / "again.mp4"}, 40)
    assert (tmp_path / "again.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    again = probe_file(tmp_path / "b.mp4")
    assert is_canonical(tmp_path / "b.mp4", again, **FORM) and again["first_pts_s"] == 0.0
    with pytest.raises(ValueError, match="ends before"):
        copy_spans(source, {90: tmp_path / "c.mp4"}, 40)


def test_only_canonical_video_is_called_so(base: Path, video: SimpleNamespace, tmp_path: Path) -> None:
    good = tmp_path / "good.mp4"
    write_video(good, [video.picture(i) for i in range(40)])
    row = probe_file(good)
    assert is_canonical(good, row, **FORM)
    assert not is_canonical(good, row, width=640, height=360, fps=30)
    assert not is_canonical(good, {**row, "rotation": 90}, **FORM)
    assert not is_canonical(base, probe_file(base), **FORM)  # B-frames
    open_gop = video.encode(
        tmp_path / "open.mp4",
        [video.picture(i) for i in range(70)],
        options={"g": "30", "bf": "0", "x264-params": "open-gop=1:scenecut=0:intra-refresh=1"},
    )
    assert idr_frames(open_gop, range(70)) == {0}
