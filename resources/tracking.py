"""MLflow as a resource: where runs are logged and how to link to them. The library is loaded in the child only."""

from __future__ import annotations

import os
from pathlib import Path

import dagster as dg


class TrackingResource(dg.ConfigurableResource):
    """MLflow store: an embedded SQLite file by default, a server's URL for teams."""

    uri: str
    artifacts: str = ""
    experiment: str = "g2w"

    def describe(self, tags: dict[str, str]) -> dict[str, object]:
        """What a child needs to log: store, experiment and the tags that link the run back to Dagster."""
        if self.uri.startswith("sqlite:///"):
            Path(self.uri.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
        return {"uri": self.uri, "artifacts": self.artifacts, "experiment": self.experiment, "tags": tags}

    def link(self, run_id: str) -> str:
        """Page of a run, for Dagster metadata. An embedded store is opened with `g2w mlflow` on this address."""
        base = self.uri if self.uri.startswith("http") else os.environ.get("G2W_MLFLOW_UI", "http://127.0.0.1:5000")
        return f"{base}/#/runs/{run_id}"
