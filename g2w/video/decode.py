"""Decoding whatever comes: damage is reported with the frame it follows, never raised and never hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

from g2w.video.read import set_threads, video_stream

# A player conceals damaged slices without a word. `explode` makes the decoder say so; undamaged files decode the same.
STRICT = {"err_detect": "explode"}
MAX_GAP_S = 1.0


@dataclass(frozen=True)
class Decoded:
    """One decoded frame.

    Attributes:
        index: number of the frame in decoding-output order, from 0.
        time_s: presentation time in seconds, relative to the first frame; exact.
        frame: the picture.
        broken: True between damage and the next keyframe.
        jump: True if the picture does not follow the one before it: another size, time running back, or a gap of
            more than a second.
    """

    index: int
    time_s: Fraction
    frame: av.VideoFrame
    broken: bool
    jump: bool


@dataclass
class Damage:
    """What went wrong while decoding; filled while `decode_all` runs."""

    num_errors: int = 0
    num_jumps: int = 0
    ended_early: bool = False
    first_pts_s: float = 0.0
    salvaged: bool = False


def decode_all(
    container: av.container.InputContainer, path: str | Path, damage: Damage, *, threads: int = 1
) -> Iterator[Decoded]:
    """Decode a whole file in display order, going on after damage.

    The same file gives the same indices each time, so a second pass can refer to the first.

    Raises:
        ValueError: if it has no video stream.
    """
    stream = video_stream(container, path)
    set_threads(stream, threads)
    stream.codec_context.options = STRICT
    clock = _Clock(stream)
    broken, size, index, lost = False, None, 0, 0
    for frame in _frames(container, stream, damage):
        if isinstance(frame, _Lost):
            broken, lost = True, frame.pts
            continue
        # A keyframe that the decoder still held back when the damage came proves nothing: it must lie after it.
        if broken and frame.key_frame and not frame.is_corrupt and (frame.pts is None or frame.pts > lost):
            broken, damage.salvaged = False, True
        time_s, jumped = clock.tell(frame)
        jumped = jumped or (size is not None and size != (frame.width, frame.height))
        damage.num_jumps += jumped
        damage.first_pts_s = clock.first_pts_s
        size = (frame.width, frame.height)
        yield Decoded(index, time_s, frame, broken or bool(frame.is_corrupt), jumped)
        index += 1


@dataclass(frozen=True)
class _Lost:
    """A packet that could not be decoded."""

    pts: int


def _frames(
    container: av.container.InputContainer, stream: av.video.stream.VideoStream, damage: Damage
) -> Iterator[av.VideoFrame | _Lost]:
    """Frames, and a mark where something was lost."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            return
        except av.error.FFmpegError:
            damage.num_errors += 1
            damage.ended_early = True
            yield _Lost(0)
            return
        try:
            yield from packet.decode()
        except av.error.EOFError:
            return
        except av.error.FFmpegError:
            damage.num_errors += 1
            yield _Lost(packet.pts or 0)


class _Clock:
    """Presentation times that start at zero and survive restarts of the container's clock."""

    def __init__(self, stream: av.video.stream.VideoStream) -> None:
        rate = stream.average_rate or stream.guessed_rate or Fraction(30)
        self._step = 1 / Fraction(rate)
        self._offset = Fraction(0)
        self._last: Fraction | None = None
        self.first_pts_s = 0.0

    def tell(self, frame: av.VideoFrame) -> tuple[Fraction, bool]:
        """Time of a frame since the first, and whether the clock jumped before it."""
        ticks = frame.pts if frame.pts is not None else frame.dts
        if self._last is None:
            raw = ticks * _base(frame) if ticks is not None else Fraction(0)
            self.first_pts_s, self._offset, self._last = float(raw), raw, Fraction(0)
            return self._last, False
        if ticks is None:
            self._last += self._step
            return self._last, False
        time_s = ticks * _base(frame) - self._offset
        jumped = time_s <= self._last or time_s - self._last > MAX_GAP_S
        if jumped:
            self._offset += time_s - self._last - self._step
            time_s = self._last + self._step
        self._last = time_s
        return time_s, jumped


def _base(frame: av.VideoFrame) -> Fraction:
    return frame.time_base or Fraction(1, 90_000)
