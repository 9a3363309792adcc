from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from g2w.video.clip_config import ClipConfig
from g2w.video.cutter import encode_clips
from g2w.video.probe import probe_file

CONFIG = ClipConfig(num_frames=60, width=320, height=180, preset="ultrafast")


def test_what_is_skipped_is_neither_encoded_nor_returned(base: Path, tmp_path: Path) -> None:
    row = {**probe_file(base), "shots": "[[0, 70], [70, 180]]"}
    spans = encode_clips(base, row, tmp_path, CONFIG, {70})
    assert [(s.start_frame, len(s.frames)) for s in spans] == [(0, 60), (60, 10), (130, 50)]
    assert len(list(tmp_path.glob("*.mp4"))) == 1


def test_a_remainder_of_variable_rate_leaves_no_file(base: Path, tmp_path: Path, video: SimpleNamespace) -> None:
    row = {**probe_file(base), "is_vfr": True, "shots": "[[0, 80]]"}
    spans = encode_clips(base, row, tmp_path, CONFIG, set())
    assert [len(s.frames) for s in spans] == [60, 20]
    assert len(list(tmp_path.iterdir())) == 1
