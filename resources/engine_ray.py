"""Items as Ray tasks, on a cluster or on a Ray of this process's own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

Item = dict[str, Any]
Rows = list[dict[str, Any]]


class RayBackend:
    """See `resources.engine.Backend`. Every item is one task on one core; a worker that dies costs its own item."""

    def __init__(self, address: str = "") -> None:
        self._address = address

    def __call__(
        self,
        function: Callable[[Item], Rows],
        items: Sequence[Item],
        todo: Sequence[int],
        finish: Callable[[int, Rows], None],
        workers: int,
    ) -> list[int]:
        """At most `workers` items are under way at a time, as on the local pool."""
        import ray
        from ray.exceptions import NodeDiedError, OutOfMemoryError, WorkerCrashedError

        self._connect(workers)
        # No retries: an item that kills its worker would kill every worker that it is given to.
        task = ray.remote(num_cpus=1, max_retries=0)(function)
        waiting, running, lost = deque(todo), dict[Any, int](), list[int]()
        while waiting or running:
            while waiting and len(running) < workers:
                index = waiting.popleft()
                running[task.remote(items[index])] = index
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                index = running.pop(reference)
                try:
                    finish(index, ray.get(reference))
                except (WorkerCrashedError, OutOfMemoryError, NodeDiedError):
                    lost.append(index)
        return sorted(lost)

    def _connect(self, workers: int) -> None:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("the engine 'ray' needs Ray: pip install 'g2w[ray]'") from error
        if ray.is_initialized():
            return
        # Nothing about this run leaves the machine, and a task sees the driver's files instead of an upload of them.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        local: dict[str, Any] = {} if self._address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(self._address or None, log_to_driver=False, configure_logging=False, **local)
