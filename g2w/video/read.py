"""Reading video: decode once, in order, straight to the size that is needed, with the right colors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter

# Without these two flags swscale takes a shortcut that darkens every picture by 1-2 levels (measured against the
# formula of BT.709), and a video that is cleaned and stored twice drifts. With them the error is rounding: 0.5 at most.
EXACT = Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT
_MATRIX = {
    1: Colorspace.ITU709,
    4: Colorspace.FCC,
    5: Colorspace.ITU601,
    6: Colorspace.ITU601,
    7: Colorspace.SMPTE240M,
    9: Colorspace.BT2020,
    10: Colorspace.BT2020,
}
_FULL_RANGE = 2
_SEEK_WORTH = 16


def iter_frames(
    path: str | Path, *, start: int = 0, stop: int | None = None, size: tuple[int, int] | None = None, threads: int = 1
) -> Iterator[np.ndarray]:
    """Decode frames `start` to `stop` in display order.

    Args:
        path: any video file; its first video stream is read, wherever it stands among the streams.
        start: index of the first frame to yield. Files with an index and without B-frames (all canonical clips) are
            entered at the keyframe before it; others are decoded from their beginning.
        stop: index after the last one; None reads to the end.
        size: (width, height) to reduce to with an area filter while converting; None keeps the stored size.
        threads: decoder threads.

    Yields:
        uint8 RGB of shape (height, width, 3), upright (the rotation of the container is applied). The sample aspect
        ratio is not applied.

    Raises:
        FileNotFoundError: if there is no such file.
        av.error.FFmpegError: if it is no media file, or the data is broken.
        ValueError: if it has no video stream, or start is negative.
    """
    reformatter = VideoReformatter()
    for frame in iter_decoded(path, start=start, stop=stop, threads=threads):
        yield to_rgb(frame, size, reformatter)


def iter_decoded(
    path: str | Path, *, start: int = 0, stop: int | None = None, threads: int = 1
) -> Iterator[av.VideoFrame]:
    """The same frames as the decoder gives them out: in the video's own pixel format and colors, as they are stored.

    Raises:
        FileNotFoundError, av.error.FFmpegError, ValueError: see `iter_frames`.
    """
    if start < 0:
        raise ValueError(f"{path}: start must be 0 or more, got {start}")
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        set_threads(stream, threads)
        first = _seek_before(container, stream, start)
        for index, frame in enumerate(container.decode(stream), first):
            if stop is not None and index >= stop:
                return
            if index >= start:
                yield frame


def read_frames(
    path: str | Path, *, start: int = 0, stop: int | None = None, size: tuple[int, int] | None = None, threads: int = 1
) -> np.ndarray:
    """The same frames as one array, uint8 RGB of shape (num_frames, height, width, 3); (0, 0, 0, 3) if there are
    none.
    """
    # A list that is stacked afterwards holds every frame twice: 0.8 GB for five seconds of 720p.
    array: np.ndarray | None = None
    count = 0
    for frame in iter_frames(path, start=start, stop=stop, size=size, threads=threads):
        if array is None:
            array = np.empty((_expected(path, start, stop), *frame.shape), np.uint8)
        elif count == len(array):
            array = np.concatenate([array, np.empty_like(array)])
        array[count] = frame
        count += 1
    return array[:count] if array is not None else np.zeros((0, 0, 0, 3), np.uint8)


def _expected(path: str | Path, start: int, stop: int | None) -> int:
    """How many frames the header promises: only a first guess of the room to make."""
    with av.open(str(path)) as container:
        promised = video_stream(container, path).frames or 256
    return max(1, min(promised, stop if stop is not None else promised) - start)


def video_stream(container: av.container.InputContainer, path: str | Path) -> av.video.stream.VideoStream:
    """First video stream that is not a cover picture.

    Raises:
        ValueError: if there is none.
    """
    for stream in container.streams.video:
        if not stream.disposition & av.stream.Disposition.attached_pic:
            return stream
    raise ValueError(f"{path}: no video stream")


def set_threads(stream: av.video.stream.VideoStream, threads: int) -> None:
    """Fix the number of decoder threads, so that CPU time is what was asked for."""
    stream.codec_context.thread_count = threads
    stream.thread_type = "AUTO" if threads > 1 else "SLICE"


def to_rgb(
    frame: av.VideoFrame, size: tuple[int, int] | None = None, reformatter: VideoReformatter | None = None
) -> np.ndarray:
    """Convert a decoded frame to upright uint8 RGB (height, width, 3).

    HD video without a color tag is BT.709 and small untagged video BT.601, as players assume. A `reformatter` kept
    between frames of one video saves setting up the filters each time.
    """
    reformatter = reformatter or VideoReformatter()
    quarter_turns = quarter_turns_of(frame)
    if size is not None and quarter_turns % 2:
        size = (size[1], size[0])
    width, height = size or (frame.width, frame.height)
    colors: dict[str, Any] = {"src_colorspace": _colorspace(frame), "src_color_range": _color_range(frame)}
    colors["threads"] = 1
    if size is None and frame.format.name == "yuv420p":
        # Planar output is half as dear as packed output, and the same bytes.
        kind = Interpolation.BILINEAR
        planar = reformatter.reformat(frame, width, height, "gbrp", interpolation=kind | EXACT, **colors)
        green, blue, red = (_plane(plane, width, height) for plane in planar.planes)
        rgb = cv2.merge([red, green, blue])
    else:
        kind = Interpolation.AREA if width < frame.width else Interpolation.BICUBIC
        rgb = reformatter.reformat(frame, width, height, "rgb24", interpolation=kind | EXACT, **colors).to_ndarray()
    return np.ascontiguousarray(np.rot90(rgb, quarter_turns)) if quarter_turns else rgb


def quarter_turns_of(frame: av.VideoFrame) -> int:
    """Counter-clockwise quarter turns, 0 to 3, that make the frame upright."""
    return round(frame.rotation / 90) % 4 if frame.rotation else 0


def _plane(plane: av.video.plane.VideoPlane, width: int, height: int) -> np.ndarray:
    return np.frombuffer(memoryview(plane), np.uint8).reshape(height, plane.line_size)[:, :width]


def _colorspace(frame: av.VideoFrame) -> Colorspace:
    default = Colorspace.ITU709 if max(frame.width, frame.height) >= 1280 else Colorspace.ITU601
    return _MATRIX.get(int(frame.colorspace), default)


def _color_range(frame: av.VideoFrame) -> ColorRange:
    full = int(frame.color_range) == _FULL_RANGE or frame.format.name.startswith("yuvj") or frame.format.is_rgb
    return ColorRange.JPEG if full else ColorRange.MPEG


def _seek_before(container: av.container.InputContainer, stream: av.video.stream.VideoStream, start: int) -> int:
    """Move to the last keyframe at or before `start`; returns the index of the frame that comes next.

    Only where the index of the container counts frames in display order can a frame number be found without decoding.
    """
    if start < _SEEK_WORTH or stream.codec_context.has_b_frames or stream.start_time not in (0, None):
        return 0
    entries = stream.index_entries
    if len(entries) != stream.frames or start >= len(entries) or entries[0].timestamp != 0:
        return 0
    keyframes = [i for i in range(start + 1) if entries[i].is_keyframe]
    key = keyframes[bisect_right(keyframes, start) - 1] if keyframes else 0
    if key:
        container.seek(entries[key].timestamp, stream=stream, backward=True)
    return key
