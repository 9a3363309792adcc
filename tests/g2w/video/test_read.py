from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pytest

from g2w.video.read import iter_frames, read_frames, to_rgb
from g2w.video.write import write_video


def bt709(y: float, cb: float, cr: float) -> list[float]:
    """ITU-R BT.709, limited range, as written in the standard."""
    luma, blue, red = (y - 16) / 219, (cb - 128) / 224, (cr - 128) / 224
    r, b = luma + 1.5748 * red, luma + 1.8556 * blue
    g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152
    return [255 * r, 255 * g, 255 * b]


def planar(y: int, cb: int, cr: int, size: tuple[int, int] = (1280, 720)) -> av.VideoFrame:
    width, height = size
    planes = [np.full(width * height, y), np.full(width * height // 4, cb), np.full(width * height // 4, cr)]
    frame = av.VideoFrame.from_ndarray(np.concatenate(planes).astype(np.uint8).reshape(-1, width), format="yuv420p")
    return frame


@pytest.mark.parametrize("yuv", [(16, 128, 128), (235, 128, 128), (81, 110, 160), (150, 90, 120), (60, 150, 120)])
@pytest.mark.parametrize("size", [None, (640, 360), (160, 90)])
def test_colors_follow_the_standard_to_rounding(yuv: tuple[int, int, int], size: tuple[int, int] | None) -> None:
    rgb = to_rgb(planar(*yuv), size)
    assert np.abs(rgb[rgb.shape[0] // 2, rgb.shape[1] // 2] - np.clip(bt709(*yuv), 0, 255)).max() <= 1.0


def test_tags_decide_over_size() -> None:
    tagged = planar(81, 90, 200)
    tagged.colorspace = 6  # SMPTE 170M, the BT.601 matrix
    small = planar(81, 90, 200, (320, 180))
    assert (to_rgb(tagged)[0, 0] == to_rgb(small)[0, 0]).all()
    assert np.abs(to_rgb(tagged)[0, 0].astype(int) - to_rgb(planar(81, 90, 200))[0, 0]).max() > 5


def test_full_range_is_not_stretched() -> None:
    frame = planar(235, 128, 128)
    frame.color_range = 2
    assert (to_rgb(frame)[0, 0] == 235).all()


def test_any_window_equals_the_whole_read(video: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    write_video(path, [video.picture(i) for i in range(100)], preset="ultrafast")
    whole = read_frames(path)
    assert whole.shape == (100, 180, 320, 3)
    for start, stop in [(0, 3), (15, 20), (30, 31), (59, 62), (95, None), (99, 200)]:
        assert (read_frames(path, start=start, stop=stop) == whole[start:stop]).all()
    assert read_frames(path, start=100).shape == (0, 0, 0, 3)


def test_windows_of_a_file_with_b_frames_and_without_an_index(
    base: Path, video: SimpleNamespace, tmp_path: Path
) -> None:
    stream = video.encode(tmp_path / "s.ts", [video.picture(i) for i in range(60)])
    for path in (base, stream):
        assert [video.number_of(f) for f in iter_frames(path, start=40, stop=45)] == [40, 41, 42, 43, 44]


def test_rotation_turns_the_picture_upright(video: SimpleNamespace, tmp_path: Path) -> None:
    landscape = np.zeros((180, 320, 3), np.uint8)
    landscape[:, :160] = 200  # left half is bright
    path = video.encode(tmp_path / "turned.mp4", [landscape] * 3, rotation=90)
    frame = read_frames(path)[0]
    assert frame.shape == (320, 180, 3)
    # turned counter-clockwise by 90 degrees, the left side comes to the bottom
    assert frame[300, 90, 0] > 150 and frame[20, 90, 0] < 60
    assert read_frames(path, size=(90, 160))[0].shape == (160, 90, 3)


def test_area_reduction_is_the_mean_of_the_pixels(tmp_path: Path) -> None:
    checks = np.indices((720, 1280)).sum(axis=0) // 2 % 2
    path = tmp_path / "checks.mp4"
    write_video(path, [np.repeat((checks * 200 + 20)[..., None], 3, axis=2).astype(np.uint8)], crf=1)
    small = read_frames(path, size=(160, 90))[0]
    assert np.abs(small.astype(int) - 120).max() <= 3


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_frames(tmp_path / "absent.mp4")
    (tmp_path / "text.mp4").write_text("hello")
    with pytest.raises(av.error.FFmpegError):
        read_frames(tmp_path / "text.mp4")
    with pytest.raises(ValueError, match="start"):
        next(iter_frames(tmp_path / "text.mp4", start=-1))
