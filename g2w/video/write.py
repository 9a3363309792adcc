"""Writing video: canonical H.264, whole or not at all, the same bytes for the same frames and thread count."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from av.video.reformatter import Colorspace, ColorRange

BT709 = 1
LIMITED = 1


class VideoWriter:
    """Encodes RGB frames to yuv420p BT.709 H.264 in mp4: closed GOPs, no B-frames, index in front.

    The file appears under its name only when the writer closes without an error. With `audio_from`, the first audio
    stream of that file is copied packet by packet.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        width: int,
        height: int,
        fps: Fraction | int = 30,
        crf: int = 18,
        preset: str = "veryfast",
        gop: int = 30,
        threads: int = 1,
        audio_from: str | Path | None = None,
    ) -> None:
        if width % 2 or height % 2:
            raise ValueError(f"{path}: yuv420p needs even sides, got {width}x{height}")
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}.mp4")
        self._container = av.open(str(self._temporary), "w", options={"movflags": "+faststart"})
        self._stream = self._container.add_stream("libx264", rate=Fraction(fps))
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.thread_count = threads
        context = self._stream.codec_context
        context.gop_size = gop
        context.colorspace, context.color_primaries, context.color_trc, context.color_range = BT709, BT709, BT709, LIMITED
        self._stream.options = {
            "preset": preset, "crf": str(crf), "bf": "0", "flags": "+cgop", "x264-params": "scenecut=0:open-gop=0"
        }
        self._time_base = 1 / Fraction(fps)
        self._audio = _AudioCopy(audio_from, self._container) if audio_from is not None else None
        self.num_frames = 0

    def write(self, rgb: np.ndarray, *, pts: Fraction | None = None) -> None:
        """Append a frame, uint8 RGB (height, width, 3), at its place in a constant frame rate or at `pts` seconds."""
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
        frame = frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)
        frame.colorspace, frame.color_range = BT709, LIMITED
        if pts is None:
            frame.pts, frame.time_base = self.num_frames, self._time_base
        else:
            frame.time_base = Fraction(1, 90_000)
            frame.pts = round(pts / frame.time_base)
        self._mux(frame)
        self.num_frames += 1

    def _mux(self, frame: av.VideoFrame | None) -> None:
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def close(self) -> None:
        """Flush, copy the sound, and give the file its name."""
        self._mux(None)
        if self._audio is not None:
            self._audio.copy()
        self._container.close()
        os.replace(self._temporary, self._path)

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self._container.close()
            self._temporary.unlink(missing_ok=True)


class _AudioCopy:
    """Packets of the first audio stream of a file, copied as they are."""

    def __init__(self, path: str | Path, out: av.container.OutputContainer) -> None:
        self._source = av.open(str(path))
        self._out = out
        streams = self._source.streams.audio
        self._stream = streams[0] if streams else None
        self._target = out.add_stream_from_template(self._stream) if self._stream is not None else None

    def copy(self) -> None:
        if self._stream is not None:
            for packet in self._source.demux(self._stream):
                if packet.dts is not None:
                    packet.stream = self._target
                    self._out.mux(packet)
        self._source.close()


def write_video(
    path: str | Path, frames: Iterable[np.ndarray], *, fps: Fraction | int = 30, crf: int = 18, preset: str = "veryfast",
    threads: int = 1,
) -> int:
    """Encode frames (uint8 RGB, all of one size) to a file; returns their number.

    Raises:
        ValueError: if there are none.
    """
    iterator = iter(frames)
    first = next(iterator, None)
    if first is None:
        raise ValueError(f"{path}: no frames to write")
    height, width = first.shape[:2]
    with VideoWriter(path, width=width, height=height, fps=fps, crf=crf, preset=preset, threads=threads) as writer:
        writer.write(first)
        for frame in iterator:
            writer.write(frame)
    return writer.num_frames
