"""The training child: `python -m g2w_assets.children.train REQUEST`. Opens Pipes and MLflow, trains, leaves a result file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dagster_pipes import PipesContext, open_dagster_pipes

from g2w.lineage.canonical import canonical_json, sha256_file
from g2w_assets.children.reporting import RunReporter, mlflow_run

Request = dict[str, Any]
Trainer = Callable[[Request, Path, RunReporter], dict[str, Any]]
"""Trains into a folder and returns its metrics, `num_steps` among them."""


def _train_cleaner(request: Request, out: Path, reporter: RunReporter) -> dict[str, Any]:
    from models.cleaner.pairs import RecipePairs
    from models.cleaner.presets import preset
    from models.cleaner.train import train_cleaner

    config = _configure(preset(request["preset"]), request, reporter)
    data = RecipePairs(_paths(request), request["recipes"], Path(request["library"]), config.window)
    return train_cleaner(config, data, out, reporter)


def _train_lite(request: Request, out: Path, reporter: RunReporter) -> dict[str, Any]:
    from models.lite.pairs import RecipePairs
    from models.lite.presets import preset
    from models.lite.train import train_lite

    config = _configure(preset(request["preset"]), request, reporter)
    data = RecipePairs(_paths(request), request["recipes"], Path(request["library"]), config)
    return train_lite(config, data, out, reporter)


def _train_pilot(request: Request, out: Path, reporter: RunReporter) -> dict[str, Any]:
    from models.world.pilot import train_both_arms
    from models.world.presets import pilot_preset

    config = _configure(pilot_preset(request["preset"]), request, reporter)
    return train_both_arms(config, _paths(request), request["recipes"], Path(request["library"]), out, reporter)


def _train_action(request: Request, out: Path, reporter: RunReporter) -> dict[str, Any]:
    from models.world.action import ActionClips, train_action
    from models.world.presets import action_preset

    config = _configure(action_preset(request["preset"]), request, reporter)
    trained = train_action(config, ActionClips(_paths(request), config), out, reporter)
    return {**trained["metrics"], "num_steps": trained["steps"]}


TRAINERS: dict[str, Trainer] = {
    "cleaner": _train_cleaner,
    "lite": _train_lite,
    "pilot": _train_pilot,
    "action": _train_action,
}


def _paths(request: Request) -> dict[str, Path]:
    return {clip_id: Path(path) for clip_id, path in request["clips"].items()}


def _configure(config: Any, request: Request, reporter: RunReporter) -> Any:
    """The preset with the plan's threads, seed and, where it gives one, number of steps."""
    changes = {"num_threads": request["threads"], "seed": request["seed"]}
    if request["steps"]:
        changes["num_steps"] = request["steps"]
        changes["warmup_steps"] = min(config.train.warmup_steps, request["steps"] - 1)
    train = replace(config.train, **changes)
    reporter.expect(train.num_steps)
    return replace(config, train=train)


def train(request: Request, pipes: PipesContext) -> dict[str, Any]:
    """Run the task of a request inside an MLflow run and return what the parent is told."""
    out = Path(request["out"])
    params = {name: request[name] for name in ("task", "preset", "steps", "threads", "seed")}
    with mlflow_run(request["mlflow"], params) as (mlflow, run_id):
        pipes.log.info(f"{request['task']}: MLflow run {run_id}")
        reporter = RunReporter(mlflow, pipes.log, request["task"])
        trained = TRAINERS[request["task"]](request, out, reporter)
        weights = {
            path.relative_to(out).as_posix(): sha256_file(path)
            for path in sorted(out.rglob("*.safetensors"))
            if not any(part.startswith(".") for part in path.relative_to(out).parts)
        }
        for name, digest in weights.items():
            mlflow.set_tag(f"g2w.checkpoint.{name}", digest)
        metrics = {name: float(value) for name, value in trained.items() if isinstance(value, int | float)}
        mlflow.log_metrics({f"final.{name}": value for name, value in metrics.items()})
        return {"metrics": metrics, "steps": int(trained["num_steps"]), "checkpoints": weights, "mlflow_run_id": run_id}


def main() -> None:
    """Entry point."""
    request: Request = json.loads(Path(sys.argv[1]).read_bytes())
    with open_dagster_pipes() as pipes:
        result = train(request, pipes)
    Path(request["result"]).write_bytes(canonical_json(result))


if __name__ == "__main__":
    main()
