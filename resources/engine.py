"""The engine: maps a pure function over items on a local process pool or on Ray, and loses at most what crashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import dagster as dg

from g2w.lineage.canonical import sha256_json, short
from g2w.lineage.work import read_step, write_step

Item = dict[str, Any]
Rows = list[dict[str, Any]]
ShardFunction = Callable[[Item], Rows]
"""Pure, idempotent, importable: one JSON item in, JSON rows out. Errors of the data are rows, never raised."""

BACKENDS = ("local", "ray")


class Backend(Protocol):
    """Runs items somewhere else."""

    def __call__(
        self,
        function: ShardFunction,
        items: Sequence[Item],
        todo: Sequence[int],
        finish: Callable[[int, Rows], None],
        workers: int,
    ) -> list[int]:
        """Call `finish(index, rows)` for each index of `todo` as it is done; returns, sorted, those whose worker died.

        What the function raises is raised here.
        """


class EngineResource(dg.ConfigurableResource):
    """Where per-clip work runs. Results keep the order of the items; finished items survive a kill in `steps`.

    `backend` is "local" (a process pool) or "ray" (`pip install g2w[ray]`); `address` is that of a running Ray cluster whose
    nodes see the lake and this checkout under the same paths, empty for one that lives as long as this process.
    """

    workers: int = 2
    backend: str = "local"
    address: str = ""

    def map(
        self,
        function: ShardFunction,
        items: Sequence[Item],
        *,
        steps: Path,
        crashed: Callable[[Item], Rows],
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[Rows]:
        """Run `function` on every item.

        Args:
            function: a module-level function.
            items: JSON-able arguments.
            steps: folder for the rows of finished items; a run that takes over starts from them.
            crashed: the verdict rows of an item that killed its worker.
            progress: called with (done, total) after each item.

        Raises:
            ValueError: for an unknown backend.
            ModuleNotFoundError: if Ray is asked for and not installed.
        """
        keys = [short(sha256_json([function.__module__, function.__qualname__, item])) for item in items]
        results: dict[int, Rows] = {}
        for index, key in enumerate(keys):
            left = read_step(steps, key)
            if left is not None:
                results[index] = left
        todo = [index for index in range(len(items)) if index not in results]

        def finish(index: int, rows: Rows) -> None:
            write_step(steps, keys[index], rows)
            results[index] = rows
            progress(len(results), len(items))

        run = self._backend()
        lost = run(function, items, todo, finish, self.workers) if todo else []
        # A worker that dies may take others along (it breaks the whole local pool): run what was lost one by one.
        for index in lost:
            if run(function, items, [index], finish, 1):
                # Not noted in `steps`: a later run tries again, in case it was the machine and not the item.
                results[index] = crashed(items[index])
                progress(len(results), len(items))
        return [results[index] for index in range(len(items))]

    def _backend(self) -> Backend:
        if self.backend == "local":
            from resources.engine_local import run_local

            return run_local
        if self.backend == "ray":
            from resources.engine_ray import RayBackend

            return RayBackend(self.address)
        raise ValueError(f"engine {self.backend!r} is not known; use one of {BACKENDS} (G2W_ENGINE)")
