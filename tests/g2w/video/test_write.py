from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pytest

from g2w.video.read import read_frames
from g2w.video.write import VideoWriter, write_video


def patches() -> np.ndarray:
    """A picture of 60 flat saturated colors, 1280x720."""
    colors = np.random.default_rng(1).integers(0, 256, (6, 10, 3))
    return np.repeat(np.repeat(colors, 120, axis=0), 128, axis=1).astype(np.uint8)


def test_storing_ten_times_does_not_move_the_colors(tmp_path: Path) -> None:
    original = rgb = patches()
    for turn in range(10):
        write_video(tmp_path / f"{turn}.mp4", [rgb] * 2, crf=4)
        rgb = read_frames(tmp_path / f"{turn}.mp4")[1]
    centers = np.s_[60::120, 64::128]
    error = rgb[centers].astype(int) - original[centers]
    assert np.abs(error.mean(axis=(0, 1))).max() < 0.7
    assert np.abs(error).mean() < 2


def test_the_file_is_canonical(video: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    assert write_video(path, [video.picture(i) for i in range(95)]) == 95
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        context = stream.codec_context
        assert (context.name, context.pix_fmt, stream.frames, stream.average_rate) == ("h264", "yuv420p", 95, 30)
        assert (context.colorspace, context.color_primaries, context.color_trc, context.color_range) == (1, 1, 1, 1)
        assert not context.has_b_frames and stream.sample_aspect_ratio == 1
        assert [i for i, entry in enumerate(stream.index_entries) if entry.is_keyframe] == [0, 30, 60, 90]
        assert float(stream.duration * stream.time_base) == pytest.approx(95 / 30)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_the_same_frames_are_the_same_bytes(video: SimpleNamespace, tmp_path: Path) -> None:
    frames = [video.picture(i) for i in range(20)]
    for name in range(12):
        write_video(tmp_path / f"{name}.mp4", frames, threads=2)
    assert len({path.read_bytes() for path in tmp_path.glob("*.mp4")}) == 1


def test_an_error_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken():
        yield np.zeros((180, 320, 3), np.uint8)
        raise RuntimeError("camera fell")

    with pytest.raises(RuntimeError, match="camera fell"):
        write_video(tmp_path / "clip.mp4", broken())
    with pytest.raises(ValueError, match="no frames"):
        write_video(tmp_path / "none.mp4", [])
    with pytest.raises(ValueError, match="even sides"):
        write_video(tmp_path / "odd.mp4", [np.zeros((181, 320, 3), np.uint8)])
    with pytest.raises(ValueError, match=r"frame 1 must be uint8 \(180, 320, 3\)"):
        write_video(tmp_path / "mixed.mp4", [np.zeros((180, 320, 3), np.uint8), np.zeros((90, 160, 3), np.uint8)])
    assert list(tmp_path.iterdir()) == []


def test_own_times_are_kept_and_all_or_none(video: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "vfr.mp4"
    times = [Fraction(k, 30) for k in (0, 1, 2, 10, 11, 30)]
    with VideoWriter(path, width=320, height=180) as writer:
        for index, time_s in enumerate(times):
            writer.write(video.picture(index), pts=time_s)
        with pytest.raises(ValueError, match="every frame or with none"):
            writer.write(video.picture(9))
    with av.open(str(path)) as container:
        found = [frame.pts * frame.time_base for frame in container.decode(video=0)]
        stream = container.streams.video[0]
        assert found == times
        assert float(stream.duration * stream.time_base) == pytest.approx(31 / 30)


def test_sound_is_copied_packet_by_packet(video: SimpleNamespace, tmp_path: Path) -> None:
    source = tmp_path / "source.mp4"
    with av.open(str(source), "w") as out:
        picture = out.add_stream("libx264", rate=30)
        picture.width, picture.height, picture.pix_fmt = 320, 180, "yuv420p"
        sound = out.add_stream("aac", rate=48_000, layout="mono")
        for index in range(30):
            out.mux(picture.encode(av.VideoFrame.from_ndarray(video.picture(index), format="rgb24")))
        wave = np.sin(np.arange(48_000) * 0.06).astype(np.float32)[None]
        for start in range(0, 48_000, 1024):
            samples = av.AudioFrame.from_ndarray(np.ascontiguousarray(wave[:, start : start + 1024]), "fltp", "mono")
            samples.sample_rate, samples.pts = 48_000, start
            out.mux(sound.encode(samples))
        for stream in (picture, sound):
            out.mux(stream.encode(None))
    target = tmp_path / "target.mp4"
    with VideoWriter(target, width=320, height=180, audio_from=source) as writer:
        for index in range(30):
            writer.write(video.picture(index))

    def packets(path: Path) -> list[tuple[int | None, bytes]]:
        with av.open(str(path)) as container:
            return [(p.pts, bytes(p)) for p in container.demux(audio=0) if p.size]

    assert len(packets(source)) > 40 and packets(source) == packets(target)
    assert len(read_frames(target)) == 30
