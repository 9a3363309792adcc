from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from g2w.ui.detector import DetectReason
from g2w.ui.vision import VisionError
from resources.mllm_budget import Budget


def _spend(path: str) -> int:
    budget, done = Budget(Path(path), max_calls=50, max_tokens=10**6), 0
    for _ in range(40):
        try:
            budget.take_call()
        except VisionError:
            continue
        budget.add_tokens(10)
        done += 1
    return done


def test_processes_share_one_budget_to_the_call(tmp_path) -> None:
    path = str(tmp_path / "deep" / "ledger.json")
    with ProcessPoolExecutor(2) as pool:
        taken = sum(pool.map(_spend, [path, path]))
    assert taken == 50
    assert Budget(Path(path), 50, 10**6).spent() == (50, 500)


def test_tokens_stop_the_next_call(tmp_path) -> None:
    budget = Budget(tmp_path / "ledger.json", max_calls=9, max_tokens=100)
    budget.take_call()
    budget.add_tokens(100)
    with pytest.raises(VisionError, match="100 of 100 tokens") as caught:
        budget.take_call()
    assert caught.value.reason is DetectReason.BUDGET_EXHAUSTED
    assert budget.spent() == (1, 100), "what was refused is not booked"


def test_a_negative_budget_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="negative"):
        Budget(tmp_path / "l", -1, 0)
