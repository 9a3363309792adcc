"""Reading video: decode once, in order, straight to the size that is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import Colorspace, Interpolation


def iter_frames(
    path: str | Path, *, start: int = 0, stop: int | None = None, size: tuple[int, int] | None = None, threads: int = 1
) -> Iterator[np.ndarray]:
    """Decode frames `start` to `stop` in display order.

    Args:
        path: any video file; its first video stream is read, wherever it stands among the streams.
        start: index of the first frame to yield.
        stop: index after the last one; None reads to the end.
        size: (width, height) to reduce to with an area filter while converting; None keeps the size.
        threads: decoder threads.

    Yields:
        uint8 RGB of shape (height, width, 3), upright (the rotation of the container is applied).
    """
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = threads
        stream.thread_type = "AUTO" if threads > 1 else "SLICE"
        for index, frame in enumerate(container.decode(stream)):
            if stop is not None and index >= stop:
                return
            if index >= start:
                yield to_rgb(frame, size)


def read_frames(
    path: str | Path, *, start: int = 0, stop: int | None = None, size: tuple[int, int] | None = None, threads: int = 1
) -> np.ndarray:
    """The same frames as one array, uint8 RGB of shape (num_frames, height, width, 3); (0, 0, 0, 3) if there are none."""
    frames = list(iter_frames(path, start=start, stop=stop, size=size, threads=threads))
    return np.stack(frames) if frames else np.zeros((0, 0, 0, 3), np.uint8)


def to_rgb(frame: av.VideoFrame, size: tuple[int, int] | None = None) -> np.ndarray:
    """Convert a decoded frame to upright uint8 RGB.

    HD video without a color tag is BT.709, as every player assumes; small untagged video is BT.601.
    """
    quarter_turns = (round(frame.rotation / 90) % 4) if frame.rotation else 0
    if size is not None and quarter_turns % 2:
        size = (size[1], size[0])
    width, height = size or (frame.width, frame.height)
    # The area filter costs three times the plain conversion: only where something is made smaller.
    how = Interpolation.AREA if size is not None else Interpolation.BILINEAR
    rgb = frame.reformat(width, height, "rgb24", src_colorspace=_colorspace(frame), interpolation=how).to_ndarray()
    return np.ascontiguousarray(np.rot90(rgb, quarter_turns)) if quarter_turns else rgb


def _colorspace(frame: av.VideoFrame) -> Colorspace:
    tagged = {1: Colorspace.ITU709, 5: Colorspace.ITU601, 6: Colorspace.SMPTE170M, 7: Colorspace.SMPTE240M}
    default = Colorspace.ITU709 if max(frame.width, frame.height) >= 1280 else Colorspace.ITU601
    return tagged.get(int(frame.colorspace), default)
