from __future__ import annotations

import logging

import pytest

from g2w_assets.children import reporting
from g2w_assets.children.reporting import RunReporter


class Store:
    """Remembers what MLflow would have been told."""

    def __init__(self) -> None:
        self.metrics: list[tuple[int, dict[str, float]]] = []

    def log_metrics(self, values: dict[str, float], *, step: int, synchronous: bool) -> None:
        self.metrics.append((step, values))


def test_lines_say_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    clock = iter([0.0, 100.0, 120.0, 121.0, 140.0, 200.0])
    monkeypatch.setattr(reporting.time, "monotonic", lambda: next(clock))
    store = Store()
    with caplog.at_level(logging.INFO):
        reporter = RunReporter(store, logging.getLogger("test"), "lite")
        reporter.expect(50)
        for step in (10, 20, 21, 30):
            reporter.scalars(step, {"loss": 0.5, "broken": float("nan")})
        reporter.scalars(10, {"loss": 0.7})
    assert caplog.messages == [
        "lite: step 10: loss 0.5, broken nan",
        "lite: step 20 of 50, 60 s left: loss 0.5, broken nan",
        "lite: step 30 of 50, 40 s left: loss 0.5, broken nan",
        "lite: step 10: loss 0.7",
    ], "every ten seconds at most; a second model starts to count again"
    assert [step for step, _ in store.metrics] == [10, 20, 21, 30, 10]
    assert store.metrics[0][1] == {"loss": 0.5}, "a number that is none is not stored"
