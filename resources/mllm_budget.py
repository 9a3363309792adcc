"""A spending limit shared by all workers of a run: a ledger file under a lock, so that it outlives a killed worker."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path

from g2w.ui.detector import DetectReason
from g2w.ui.vision import VisionError


@dataclass(frozen=True)
class Budget:
    """Calls and tokens that may still be spent.

    Attributes:
        ledger: file that holds what is spent; created when needed.
        max_calls: attempts, also failed ones: a server may bill them.
        max_tokens: in and out, as the server counts them; checked before a call, so the last one may pass it.
    """

    ledger: Path
    max_calls: int
    max_tokens: int

    def __post_init__(self) -> None:
        if self.max_calls < 0 or self.max_tokens < 0:
            raise ValueError(f"a budget cannot be negative: {self.max_calls} calls, {self.max_tokens} tokens")

    def take_call(self) -> None:
        """Book one call.

        Raises:
            VisionError: budget_exhausted.
        """
        calls, tokens = self._book(1, 0, guarded=True)
        if calls > self.max_calls or tokens >= self.max_tokens:
            raise VisionError(
                DetectReason.BUDGET_EXHAUSTED,
                f"{calls - 1} of {self.max_calls} calls and {tokens} of {self.max_tokens} tokens are spent",
            )

    def add_tokens(self, count: int) -> None:
        """Book what an answer cost."""
        self._book(0, count, guarded=False)

    def spent(self) -> tuple[int, int]:
        """Calls and tokens so far."""
        return self._book(0, 0, guarded=False)

    def _book(self, calls: int, tokens: int, *, guarded: bool) -> tuple[int, int]:
        """Add to the ledger and return its new totals; a guarded booking past the limit is returned and not stored."""
        self.ledger.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(self.ledger, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            text = file.read()
            before = json.loads(text) if text else {"calls": 0, "tokens": 0}
            after = {"calls": before["calls"] + calls, "tokens": before["tokens"] + tokens}
            if guarded and (after["calls"] > self.max_calls or after["tokens"] >= self.max_tokens):
                return after["calls"], after["tokens"]
            if after != before:
                file.seek(0)
                file.write(json.dumps(after))
                file.truncate()
            return after["calls"], after["tokens"]
