from __future__ import annotations

import os
from pathlib import Path

import pytest

from resources.engine import EngineResource

BACKENDS = ["local", pytest.param("ray", marks=pytest.mark.services)]


def work(item: dict) -> list[dict]:
    """A shard function: one item kills its process, like a decoder that meets a poisoned file."""
    if item["n"] == item.get("poison"):
        os._exit(9)
    marker = Path(item["log"]) / str(item["n"])
    marker.write_text(str(int(marker.read_text()) + 1 if marker.exists() else 1))
    return [{"n": item["n"], "square": item["n"] ** 2}]


def crashed(item: dict) -> list[dict]:
    return [{"n": item["n"], "square": None}]


@pytest.mark.parametrize("backend", BACKENDS)
def test_order_is_kept_and_finished_items_are_not_done_again(backend: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    items = [{"n": n, "log": str(log)} for n in range(5)]
    engine, seen = EngineResource(workers=2, backend=backend), []
    first = engine.map(work, items[:3], steps=tmp_path / "steps", crashed=crashed)
    again = engine.map(
        work, items, steps=tmp_path / "steps", crashed=crashed, progress=lambda d, t: seen.append((d, t))
    )
    assert [rows[0]["square"] for rows in again] == [0, 1, 4, 9, 16]
    assert again[:3] == first
    assert {p.name: p.read_text() for p in log.iterdir()} == {str(n): "1" for n in range(5)}
    assert seen == [(4, 5), (5, 5)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_crash_costs_its_item_and_no_other(backend: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    items = [{"n": n, "poison": 2, "log": str(log)} for n in range(5)]
    rows = EngineResource(workers=2, backend=backend).map(work, items, steps=tmp_path / "steps", crashed=crashed)
    assert [r[0]["square"] for r in rows] == [0, 1, None, 9, 16]


def fails(item: dict) -> list[dict]:
    raise ValueError(f"item {item['n']} is impossible")


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_error_of_the_code_is_raised_and_not_swallowed(backend: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="item 1 is impossible"):
        EngineResource(workers=2, backend=backend).map(fails, [{"n": 1}], steps=tmp_path / "steps", crashed=crashed)


def test_an_unknown_engine_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="engine 'spark' is not known"):
        EngineResource(backend="spark").map(work, [], steps=tmp_path / "steps", crashed=crashed)
