"""Compute: runs a training child through Dagster Pipes and believes nothing but the result file it leaves."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.errors import DagsterExecutionInterruptedError  # not public: pinned, and a test imports it

from g2w.lineage.canonical import canonical_json, sha256_file

RESULT = "result.json"
TERMINATION_TIMEOUT_S = 120.0


class ChildFailed(Exception):
    """The child ended without leaving a result that can be believed."""


class LocalCompute(dg.ConfigurableResource):
    """Runs children as local processes that die with their parent and get `threads` CPU threads each."""

    threads: int = 2

    def run(
        self,
        context: dg.AssetExecutionContext,
        *,
        module: str,
        request: dict[str, Any],
        work: Path,
    ) -> dict[str, Any]:
        """Run `python -m module` with a JSON request and return the result it leaves in `work`.

        The request lies in `work/.child/request.json`; the child must write `work/.child/result.json` with the number
        of steps it made and the sha256 of the checkpoint. A child that exits with 0 and leaves none has failed.

        Raises:
            ChildFailed: no result file, or the checkpoint does not have the hash it states.
        """
        private = work / ".child"
        private.mkdir(parents=True, exist_ok=True)
        result_path = private / RESULT
        result_path.unlink(missing_ok=True)
        request_path = private / "request.json"
        request_path.write_bytes(canonical_json({**request, "result": str(result_path)}))
        client = dg.PipesSubprocessClient(forward_termination=True, termination_timeout_seconds=TERMINATION_TIMEOUT_S)
        command = [*_die_with_parent(), sys.executable, "-m", module, str(request_path)]
        try:
            client.run(context=context, command=command, env=self._environment())
        except DagsterExecutionInterruptedError as error:
            # Without this Dagster would retry a step that a person has just stopped.
            raise dg.Failure(
                "terminated; the checkpoint is kept and the next run resumes from it", allow_retries=False
            ) from error
        return _believe(result_path, work, module)

    def _environment(self) -> dict[str, str]:
        threads = str(self.threads)
        return {
            **os.environ,
            "OMP_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "PYTHONUNBUFFERED": "1",
            # Threads that wait must sleep: on a busy machine spinning ones cost a training ten times its time.
            "OMP_WAIT_POLICY": "PASSIVE",
        }


def _die_with_parent() -> list[str]:
    # A killed run worker would leave its trainer alive, holding the device. The shell sees to the moment before the kernel
    # was told: a child whose parent has died by then has another one.
    still_there = 'test "$PPID" = "$0" && exec "$@"'
    return ["setpriv", "--pdeathsig=TERM", "sh", "-c", still_there, str(os.getpid())] if shutil.which("setpriv") else []


def _believe(result_path: Path, work: Path, module: str) -> dict[str, Any]:
    if not result_path.exists():
        raise ChildFailed(f"{module} ended without leaving {result_path}; read its log above")
    result: dict[str, Any] = json.loads(result_path.read_bytes())
    for name, digest in result.get("checkpoints", {}).items():
        actual = sha256_file(work / name)
        if actual != digest:
            raise ChildFailed(f"{module}: {name} has sha256 {actual}, its result says {digest}")
    return result
