"""The engine: maps a pure function over items on a local process pool, and loses at most the item that crashes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import dagster as dg

from g2w.lineage.canonical import sha256_json, short
from g2w.lineage.work import read_step, write_step

Item = dict[str, Any]
Rows = list[dict[str, Any]]
ShardFunction = Callable[[Item], Rows]
"""Pure, idempotent, importable: one JSON item in, JSON rows out. Errors of the data are rows, never raised."""


class EngineResource(dg.ConfigurableResource):
    """Local process pool. Results keep the order of the items; finished items survive a kill in `steps`."""

    workers: int = 2

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

        lost = self._run(function, items, todo, finish, self.workers)
        # A worker that dies breaks the whole pool, so the culprit is unknown: run what was lost one by one.
        for index in lost:
            if self._run(function, items, [index], finish, 1):
                # Not noted in `steps`: a later run tries again, in case it was the machine and not the item.
                results[index] = crashed(items[index])
                progress(len(results), len(items))
        return [results[index] for index in range(len(items))]

    @staticmethod
    def _run(
        function: ShardFunction,
        items: Sequence[Item],
        todo: Sequence[int],
        finish: Callable[[int, Rows], None],
        workers: int,
    ) -> list[int]:
        if not todo:
            return []
        lost: list[int] = []
        # spawn: forking a process that has started threads (Dagster, gRPC, OpenCV) deadlocks.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(workers, len(todo)), mp_context=context) as pool:
            pending: dict[Future[Rows], int] = {pool.submit(function, items[index]): index for index in todo}
            while pending:
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    index = pending.pop(future)
                    try:
                        finish(index, future.result())
                    except BrokenProcessPool:
                        lost.append(index)
        return sorted(lost)
