"""Frames are chosen by timestamp; sizes and rates of the output do not matter."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from g2w.bench.sampling import nearest_frames, sample_times, sampled_frames, to_canvas
from g2w.video.write import write_video


def test_thirty_and_sixteen_fps_meet_at_the_same_moments() -> None:
    times = sample_times(150, 30)
    assert times == [k / 2 for k in range(10)]
    assert nearest_frames([i / 30 for i in range(150)], times, 30) == list(range(0, 136, 15))
    assert nearest_frames([i / 16 for i in range(81)], times, 16) == list(range(0, 73, 8))


def test_samples_end_with_the_last_frame() -> None:
    assert sample_times(90, 30) == [0, 0.5, 1, 1.5, 2, 2.5]
    assert sample_times(91, 30)[-1] == 3
    assert sample_times(1, 30) == [0]
    with pytest.raises(ValueError, match="frames"):
        sample_times(0, 30)


def test_a_time_without_a_frame_is_none() -> None:
    pts = [i / 30 for i in range(30)]
    assert nearest_frames(pts, [0.0, 0.5, 1.0], 30) == [0, 15, None]
    # Half a frame and a millisecond late is the limit.
    assert nearest_frames([0.0, 0.5 + 1 / 60 + 0.0009], [0.5], 30) == [1]
    assert nearest_frames([0.0, 0.5 + 1 / 60 + 0.0011], [0.5], 30) == [None]
    assert nearest_frames([], [0.0], 30) == [None]


def flat(level: int, size: tuple[int, int] = (64, 96)) -> np.ndarray:
    return np.full((*size, 3), level, np.uint8)


@pytest.mark.parametrize(("fps", "num_frames", "step"), [(30, 75, 15), (16, 40, 8), (Fraction(24000, 1001), 60, 12)])
def test_decodes_the_frame_of_each_moment(tmp_path: Path, fps: int | Fraction, num_frames: int, step: int) -> None:
    path = tmp_path / "ramp.mp4"
    write_video(path, [flat(20 + 2 * i) for i in range(num_frames)], fps=fps, crf=10)
    found = list(sampled_frames(path, [0.0, 0.5, 1.0, 1.5, 2.0]))
    levels = [float(frame.mean()) for frame in found if frame is not None]
    assert np.allclose(levels, [20 + 2 * step * k for k in range(5)], atol=1)
    assert all(frame is not None and frame.shape == (720, 1280, 3) for frame in found)


def test_leaping_to_keyframes_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ramp.mp4"
    write_video(path, [flat(20 + 2 * i) for i in range(100)], crf=10)
    (alone,) = sampled_frames(path, [3.0])
    together = list(sampled_frames(path, [0.0, 3.0]))[1]
    assert alone is not None and np.array_equal(alone, together) and abs(float(alone.mean()) - 200) < 1.5


def test_a_short_output_misses_its_last_moments(tmp_path: Path) -> None:
    path = tmp_path / "short.mp4"
    write_video(path, [flat(80)] * 20)
    assert [frame is None for frame in sampled_frames(path, [0.0, 0.5, 1.0])] == [False, False, True]


def test_canvas_keeps_pictures_of_its_size() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (720, 1280, 3)).astype(np.uint8)
    assert to_canvas(picture) is picture
    halves = to_canvas(np.repeat(np.repeat(picture[:90, :160], 16, 0), 16, 1))
    # Reducing by 2 blocks of 16: the middle of every block keeps its color, which no filter without antialiasing needs.
    assert np.array_equal(halves[4::8, 4::8], picture[:90, :160])
