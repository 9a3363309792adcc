"""Items on a process pool of this machine."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

Item = dict[str, Any]
Rows = list[dict[str, Any]]


def run_local(
    function: Callable[[Item], Rows],
    items: Sequence[Item],
    todo: Sequence[int],
    finish: Callable[[int, Rows], None],
    workers: int,
) -> list[int]:
    """See `resources.engine.Backend`. A worker that dies breaks the pool: all that was under way is lost with it."""
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
