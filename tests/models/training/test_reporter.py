"""Reporters: the protocol and the two plain implementations."""

from __future__ import annotations

import io

import numpy as np

from models.training.reporter import NullReporter, PrintReporter, Reporter


def test_both_speak_the_protocol() -> None:
    assert isinstance(NullReporter(), Reporter) and isinstance(PrintReporter(io.StringIO()), Reporter)


def test_print_reporter_writes_one_line_each() -> None:
    stream = io.StringIO()
    reporter = PrintReporter(stream)
    reporter.scalars(3, {"loss": 0.25, "lr": 0.001})
    reporter.image(3, "strip", np.zeros((4, 6, 3), np.uint8))
    reporter.log("done")
    assert stream.getvalue().splitlines() == ["step 3 loss 0.25 lr 0.001", "step 3 image strip 6x4", "done"]
