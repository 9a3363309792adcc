"""A constant frame rate from any times: each output frame shows the source frame that is nearest in time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Generic, TypeVar

T = TypeVar("T")


class Resampler(Generic[T]):
    """Turns (time, picture) of one shot into (output number, picture), in one pass that holds a single picture.

    Output k stands at `first time + k / fps`. On a tie the earlier picture is taken. Frames are chosen by time, never
    by counting: a dropped source frame shifts nothing that comes after it.
    """

    def __init__(self, fps: Fraction | int) -> None:
        self._step = 1 / Fraction(fps)
        self._start: Fraction | None = None
        self._held: tuple[Fraction, T] | None = None
        self._next = 0

    def add(self, time_s: Fraction, picture: T) -> Iterator[tuple[int, T]]:
        """Hand in the next picture of the shot; yields the outputs it decides."""
        if self._start is None:
            self._start = time_s
        elif self._held is not None:
            yield from self._until((self._held[0] + time_s) / 2, closed=True)
        self._held = (time_s, picture)

    def finish(self, last_duration_s: Fraction) -> Iterator[tuple[int, T]]:
        """The outputs that the last picture, shown for `last_duration_s`, still covers."""
        if self._held is not None:
            # A hundredth of a frame: millisecond containers end a little early or late.
            yield from self._until(self._held[0] + last_duration_s - self._step / 100, closed=False)

    def _until(self, limit: Fraction, *, closed: bool) -> Iterator[tuple[int, T]]:
        assert self._start is not None and self._held is not None
        while True:
            due = self._start + self._next * self._step
            if due > limit or (due == limit and not closed):
                return
            yield self._next, self._held[1]
            self._next += 1
