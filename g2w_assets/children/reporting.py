"""A reporter that speaks to MLflow and to the Dagster run log at once. The models know neither."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from filelock import FileLock

LOG_EVERY_S = 10.0


class RunReporter:
    """Sends scalars and pictures to an MLflow run, and one line every ten seconds to the run log.

    Lines carry `name`, because trainings run beside each other.
    """

    def __init__(self, mlflow: Any, log: Any, name: str) -> None:
        self._mlflow, self._log, self._name = mlflow, log, name
        self._total: int | None = None
        self._last_line_s = 0.0
        self._started_s = time.monotonic()
        self._first_step: int | None = None

    def expect(self, total_steps: int) -> None:
        """Say how many steps there will be, so that lines can tell what is left."""
        self._total = total_steps

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Log numbers of one step; one dict per call, because each call is a transaction of the store."""
        clean = {name: float(value) for name, value in values.items() if np.isfinite(value)}
        self._mlflow.log_metrics(clean, step=step, synchronous=False)
        now = time.monotonic()
        if self._first_step is None or step < self._first_step:  # a second model starts again at its first step
            self._first_step, self._started_s = step, now
        if now - self._last_line_s >= LOG_EVERY_S:
            self._last_line_s = now
            self._log.info(f"{self._name}: step {step}{self._progress(step, now)}: {_line(values)}")

    def image(self, step: int, name: str, rgb: np.ndarray) -> None:
        """Log a picture."""
        self._mlflow.log_image(rgb, key=name, step=step)

    def log(self, text: str) -> None:
        """Log a line."""
        self._log.info(f"{self._name}: {text}")

    def _progress(self, step: int, now: float) -> str:
        done = step - (self._first_step or 0)
        if not self._total or done <= 0:
            return ""
        left_s = (now - self._started_s) / done * (self._total - step)
        return f" of {self._total}, {left_s:.0f} s left"


def _line(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())


def _open_experiment(mlflow: Any, request: Mapping[str, Any]) -> str:
    """The experiment's id; makes the embedded store and the experiment if this is the first training of all.

    Under a lock: two trainings that start together would both create the tables of an embedded store, and one would fail.
    """
    uri = str(request["uri"])
    with FileLock(f"{uri.removeprefix('sqlite:///')}.lock") if uri.startswith("sqlite:///") else nullcontext():
        experiment = mlflow.get_experiment_by_name(request["experiment"])
        if experiment is None:
            artifacts = request.get("artifacts") or None
            return str(mlflow.create_experiment(request["experiment"], artifact_location=artifacts))
        return str(experiment.experiment_id)


@contextmanager
def mlflow_run(request: Mapping[str, Any], params: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """Open the MLflow run of this training; yields (mlflow module, run id).

    A training that takes over from a killed one continues in the run of the same snapshot, so that one
    materialization is one MLflow run.
    """
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    import mlflow

    mlflow.set_tracking_uri(request["uri"])
    experiment_id = _open_experiment(mlflow, request)
    tags = dict(request["tags"])
    left = mlflow.search_runs(
        [experiment_id],
        filter_string=f"tags.`g2w.snapshot` = '{tags['g2w.snapshot']}' and attributes.status != 'FINISHED'",
        output_format="list",
        max_results=1,
    )
    kept = {"run_id": left[0].info.run_id} if left else {"run_name": tags["dagster.asset_key"]}
    with mlflow.start_run(experiment_id=experiment_id, **kept) as run:
        mlflow.set_tags(tags)
        if not left:
            mlflow.log_params({name: str(value)[:500] for name, value in params.items()})
        yield mlflow, run.info.run_id
        mlflow.flush_async_logging()
