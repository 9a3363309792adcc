"""Which frames are judged: two a second by timestamp, never by index, on one canvas (evals.md 1.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import VideoReformatter
from PIL import Image

from g2w.bench.judge import CANVAS
from g2w.video.read import set_threads, to_rgb, video_stream

RATE_HZ = 2
_SLACK_S = 0.001


def sample_times(num_frames: int, fps: float, *, rate_hz: float = RATE_HZ) -> list[float]:
    """Seconds t_k = k / rate inside a clip of `num_frames` at `fps`: 150 at 30 gives 0, 0.5, ... 4.5.

    Raises:
        ValueError: for a clip without frames or a rate that is not positive.
    """
    if num_frames < 1 or fps <= 0 or rate_hz <= 0:
        raise ValueError(f"sampling needs frames and positive rates, got {num_frames} frames, {fps} fps, {rate_hz} Hz")
    # The last sample must have a frame: it is at most the time of the last one.
    return [k / rate_hz for k in range(int((num_frames - 1) / fps * rate_hz + 1e-9) + 1)]


def nearest_frames(pts_s: Sequence[float], times_s: Sequence[float], fps: float) -> list[int | None]:
    """Index of the frame nearest to each time; None where it is farther than half a frame and 1 ms.

    Args:
        pts_s: presentation times of all frames, ascending, first one 0.
        times_s: times to look up.
        fps: nominal rate of the video.
    """
    if not len(pts_s):
        return [None] * len(times_s)
    pts, tolerance = np.asarray(pts_s), 1 / (2 * fps) + _SLACK_S
    indices: list[int | None] = []
    for t in times_s:
        nearest = int(np.abs(pts - t).argmin())
        indices.append(nearest if abs(pts[nearest] - t) <= tolerance else None)
    return indices


def to_canvas(rgb: np.ndarray, size: tuple[int, int] = CANVAS) -> np.ndarray:
    """Lanczos to (width, height), the kernel widened when reducing; a picture of that size is returned as it is."""
    if (rgb.shape[1], rgb.shape[0]) == size:
        return rgb
    return np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.LANCZOS))


def sampled_frames(path: str | Path, times_s: Sequence[float], *, threads: int = 1) -> Iterator[np.ndarray | None]:
    """Decode the frame at each time (ascending), on the canvas: uint8 RGB (720, 1280, 3), or None where there is none.

    Raises:
        FileNotFoundError, av.error.FFmpegError, ValueError: if the file is absent, broken or holds no video.
    """
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        ticks = sorted(packet.pts for packet in container.demux(stream) if packet.pts is not None)
    if not ticks:
        raise ValueError(f"{path}: its video stream holds no frames")
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        set_threads(stream, threads)
        seconds = float(stream.time_base or 0)
        fps = float(stream.average_rate or 30)
        wanted = nearest_frames([(tick - ticks[0]) * seconds for tick in ticks], times_s, fps)
        decoder = _TickDecoder(container, stream)
        for index in wanted:
            frame = decoder.frame_at(ticks[index]) if index is not None else None
            yield to_canvas(frame) if frame is not None else None


class _TickDecoder:
    """Frames by tick in ascending order; leaps to a keyframe where that saves decoding."""

    def __init__(self, container: av.container.InputContainer, stream: av.video.stream.VideoStream) -> None:
        self._container, self._stream = container, stream
        self._reformatter = VideoReformatter()
        self._frames = container.decode(stream)
        entries = stream.index_entries
        safe = not stream.codec_context.has_b_frames and stream.start_time in (0, None)
        self._keys = [entry.timestamp for entry in entries if entry.is_keyframe] if safe else []
        self._position = -1
        self._last: tuple[int, np.ndarray] | None = None

    def frame_at(self, tick: int) -> np.ndarray | None:
        """Frame at a tick, uint8 RGB; None if decoding ends before it."""
        if self._last is not None and self._last[0] == tick:
            return self._last[1]
        key = max((k for k in self._keys if k <= tick), default=None)
        if key is not None and key > self._position + 1:
            self._container.seek(key, stream=self._stream, backward=True)
            self._frames = self._container.decode(self._stream)
        for frame in self._frames:
            if frame.pts is None:
                continue
            self._position = frame.pts
            if frame.pts >= tick:
                rgb = to_rgb(frame, None, self._reformatter)
                self._last = (tick, rgb)
                return rgb
        return None
