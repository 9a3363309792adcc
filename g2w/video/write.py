"""Writing video: canonical H.264, whole or not at all, the same bytes for the same frames and thread count."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter

from g2w.video.read import EXACT, quarter_turns_of

BT709 = 1
LIMITED = 1
FREE_TIME_BASE = Fraction(1, 90_000)


def to_yuv(rgb: np.ndarray, reformatter: VideoReformatter, pixel_format: str = "yuv420p") -> av.VideoFrame:
    """Convert a frame, uint8 RGB (height, width, 3), to BT.709 in limited range, tagged as such.

    A `reformatter` kept between frames of one size saves setting up the filters each time.
    """
    # The exact flags again: the default conversion shifts the colors a little each time a video is stored.
    frame = reformatter.reformat(
        av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24"),
        format=pixel_format,
        dst_colorspace=Colorspace.ITU709,
        dst_color_range=ColorRange.MPEG,
        interpolation=Interpolation.AREA | EXACT,
        threads=1,
    )
    frame.colorspace, frame.color_range = BT709, LIMITED
    return frame


def is_canonical(frame: av.VideoFrame) -> bool:
    """Whether a decoded frame is stored as a canonical clip is: yuv420p, BT.709, limited range, upright."""
    colors = (int(frame.colorspace), int(frame.color_range))
    return frame.format.name == "yuv420p" and colors == (BT709, LIMITED) and not quarter_turns_of(frame)


class VideoWriter:
    """Encodes RGB frames to yuv420p BT.709 H.264 in mp4: closed GOPs, no B-frames, index in front, colors tagged.

    The file appears under its name only when the writer closes without an error.

    Args:
        path: file to write; its folder is made.
        width, height: even sides in pixels.
        fps: constant frame rate; only the nominal one where frames bring their own times.
        crf, preset, gop, threads: as x264 names them. The same frames and thread count give the same bytes.
        audio_from: file whose first audio stream is copied packet by packet.

    Raises:
        ValueError: for odd sides.
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
        if width % 2 or height % 2 or width < 2 or height < 2:
            raise ValueError(f"{path}: yuv420p needs even sides, got {width}x{height}")
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}.mp4")
        self._container = av.open(str(self._temporary), "w", options={"movflags": "+faststart"})
        self._stream = _x264_stream(self._container, width, height, Fraction(fps), crf, preset, gop, threads)
        self._frame_s = 1 / Fraction(fps)
        self._time_base: Fraction | None = None
        self._audio = _AudioCopy(audio_from, self._container) if audio_from is not None else None
        self._reformatter = VideoReformatter()
        self._shape = (height, width, 3)
        self.num_frames = 0

    def write(self, rgb: np.ndarray, *, pts: Fraction | None = None) -> None:
        """Append a frame, uint8 RGB (height, width, 3).

        `pts` is its time in seconds after the first frame, for a variable frame rate: given for all frames or for none.

        Raises:
            ValueError: for another shape or dtype, or if only some frames bring their time.
        """
        if rgb.shape != self._shape or rgb.dtype != np.uint8:
            found = f"{rgb.dtype} {rgb.shape}"
            raise ValueError(f"{self._path}: frame {self.num_frames} must be uint8 {self._shape}, got {found}")
        self.write_yuv(to_yuv(rgb, self._reformatter), pts=pts)

    def write_yuv(self, frame: av.VideoFrame, *, pts: Fraction | None = None) -> None:
        """Append a frame that is yuv420p, BT.709 and limited already; its time and picture type are overwritten.

        Raises:
            ValueError: as `write`, or for another pixel format or color tags.
        """
        if not is_canonical(frame) or (frame.height, frame.width) != self._shape[:2]:
            raise ValueError(
                f"{self._path}: frame {self.num_frames} must be yuv420p BT.709 {self._shape[:2]}, got {frame}"
            )
        if self._time_base is None:
            self._time_base = self._frame_s if pts is None else FREE_TIME_BASE
            self._stream.codec_context.time_base = self._time_base
        if (pts is None) != (self._time_base == self._frame_s):
            raise ValueError(f"{self._path}: give a time with every frame or with none")
        frame.time_base = self._time_base
        frame.pts = self.num_frames if pts is None else round(pts / self._time_base)
        frame.duration = round(self._frame_s / self._time_base)
        frame.pict_type = PictureType.NONE  # else x264 repeats the choice of the encoder that the frame comes from
        self._mux(frame)
        self.num_frames += 1

    def _mux(self, frame: av.VideoFrame | None) -> None:
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def close(self) -> None:
        """Flush, copy the sound, and give the file its name.

        Raises:
            ValueError: if no frame was written; nothing is left behind.
        """
        if not self.num_frames:
            self.abort()
            raise ValueError(f"{self._path}: no frames to write")
        self._mux(None)
        if self._audio is not None:
            self._audio.copy()
        self._container.close()
        os.replace(self._temporary, self._path)

    def abort(self) -> None:
        """Drop what was written."""
        if self._audio is not None:
            self._audio.close()
        self._container.close()
        self._temporary.unlink(missing_ok=True)

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


def _x264_stream(
    container: av.container.OutputContainer,
    width: int,
    height: int,
    fps: Fraction,
    crf: int,
    preset: str,
    gop: int,
    threads: int,
) -> av.video.stream.VideoStream:
    stream = container.add_stream("libx264", rate=fps)
    stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
    context = stream.codec_context
    context.thread_count, context.gop_size, context.max_b_frames = threads, gop, 0
    context.sample_aspect_ratio = Fraction(1)
    context.colorspace, context.color_primaries, context.color_trc, context.color_range = BT709, BT709, BT709, LIMITED
    stream.options = {
        "preset": preset,
        "crf": str(crf),
        "bf": "0",
        "flags": "+cgop",
        # Never set lookahead-threads here: with it, the same frames on two threads are other bytes one time in six.
        "x264-params": f"scenecut=0:open-gop=0:keyint={gop}:min-keyint={gop}",
    }
    return stream


class _AudioCopy:
    """Packets of the first audio stream of a file, copied as they are; nothing if it has none."""

    def __init__(self, path: str | Path, out: av.container.OutputContainer) -> None:
        self._source = av.open(str(path))
        self._out = out
        self._pairs = [(stream, out.add_stream_from_template(stream)) for stream in self._source.streams.audio[:1]]

    def copy(self) -> None:
        for stream, target in self._pairs:
            for packet in self._source.demux(stream):
                if packet.dts is not None:
                    packet.stream = target
                    self._out.mux(packet)
        self.close()

    def close(self) -> None:
        self._source.close()


def write_video(
    path: str | Path,
    frames: Iterable[np.ndarray],
    *,
    fps: Fraction | int = 30,
    crf: int = 18,
    preset: str = "veryfast",
    threads: int = 1,
) -> int:
    """Encode frames (uint8 RGB (height, width, 3), all of one size) to a file; returns their number.

    Raises:
        ValueError: if there are none, or their sizes differ or are odd.
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
