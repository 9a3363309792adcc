"""Videos for browsers: the very file where it plays, else a form that shows the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from g2w.pages.media import place_mask, place_video, playable, poster_strip
from g2w.synth.degrade import StreamWriter
from g2w.video.masks import MaskWriter
from g2w.video.read import read_frames
from g2w.video.write import write_video

FRAMES = [np.full((90, 160, 3), 20 * k, np.uint8) for k in range(10)]


@pytest.mark.parametrize(
    ("encoder", "chroma", "plays"),
    [
        ("libx264", "yuv420p", True),
        ("libsvtav1", "yuv420p", True),
        ("libx264", "yuv444p", False),
        ("libx265", "yuv420p", False),
    ],
)
def test_what_browsers_refuse_is_encoded_again(tmp_path: Path, encoder: str, chroma: str, plays: bool) -> None:
    codec = {"encoder": encoder, "kbps": 500, "chroma": chroma}
    source, target = tmp_path / "a.mp4", tmp_path / "site" / "b.mp4"
    with StreamWriter(source, codec, width=160, height=90, fps=30, threads=1) as writer:
        for frame in FRAMES:
            writer.write(frame)
    assert playable(source) is plays
    assert place_video(source, target) is plays
    assert target.samefile(source) is plays and playable(target)
    before, after = read_frames(source), read_frames(target)
    assert before.shape == after.shape and np.abs(before.astype(int) - after).mean() < 3


def test_a_mask_keeps_its_levels(tmp_path: Path) -> None:
    levels = np.arange(0, 256, 17, dtype=np.uint8)
    mask = np.repeat(np.repeat(levels[None], 96, 0), 20, 1)
    with MaskWriter(tmp_path / "m.parquet", width=320, height=96) as writer:
        for _ in range(3):
            writer.write(mask)
    place_mask(tmp_path / "m.parquet", tmp_path / "page.mp4")
    assert playable(tmp_path / "page.mp4")
    seen = read_frames(tmp_path / "page.mp4")
    assert len(seen) == 3 and np.abs(seen[0, 48, 10::20].astype(int) - levels[:, None]).max() <= 3


def test_a_strip_shows_frames_from_the_whole_video(tmp_path: Path) -> None:
    write_video(tmp_path / "v.mp4", FRAMES)
    shown = poster_strip(tmp_path / "v.mp4", tmp_path / "s.webp", num_frames=10, count=5, size=(32, 18))
    assert shown == [1, 3, 5, 7, 9]
    strip = np.asarray(Image.open(tmp_path / "s.webp").convert("L")).astype(int)
    assert strip.shape == (18, 160)
    assert np.abs(strip[9, 16::32] - [20, 60, 100, 140, 180]).max() < 6
    assert poster_strip(tmp_path / "v.mp4", tmp_path / "s.webp", num_frames=2, count=5, size=(32, 18)) == [0, 1]
