"""Where a trainer sends its numbers and pictures. It never learns who listens (terminal, Pipes, an experiment
tracker)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Protocol, TextIO, runtime_checkable

import numpy as np


@runtime_checkable
class Reporter(Protocol):
    """The three verbs a trainer may use. Implementations must not raise on valid input and must not change the
    arrays."""

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Record named numbers of one step (step counts from 1 = after the first update)."""

    def image(self, step: int, name: str, rgb: np.ndarray) -> None:
        """Record a picture: uint8 RGB, shape (h, w, 3)."""

    def log(self, text: str) -> None:
        """Record one line of text for a person."""


class NullReporter:
    """Drops everything; for tests and inner calls."""

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Ignore the numbers."""

    def image(self, step: int, name: str, rgb: np.ndarray) -> None:
        """Ignore the picture."""

    def log(self, text: str) -> None:
        """Ignore the text."""


class PrintReporter:
    """Writes one line per call to a text stream (standard error by default, so that standard output stays
    parseable)."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Print `step 120 loss 0.0312 lr 0.001`."""
        numbers = " ".join(f"{name} {value:.5g}" for name, value in values.items())
        print(f"step {step} {numbers}", file=self._stream, flush=True)

    def image(self, step: int, name: str, rgb: np.ndarray) -> None:
        """Print the picture's name and size; a terminal shows no pixels."""
        print(f"step {step} image {name} {rgb.shape[1]}x{rgb.shape[0]}", file=self._stream, flush=True)

    def log(self, text: str) -> None:
        """Print the text."""
        print(text, file=self._stream, flush=True)
