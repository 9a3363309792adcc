"""The house rules that keep the floors apart, enforced from the code itself."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {"g2w": 0, "models": 1, "resources": 1, "g2w_assets": 2, "jobs": 3}
UNKNOWN_TO_DOMAIN = {"dagster", "mlflow", "boto3", "ray"}
HEAVY = {
    "torch",
    "torchvision",
    "diffusers",
    "transformers",
    "peft",
    "open_clip",
    "mlflow",
    "cv2",
    "ray",
    "vizdoom",
    "av",
}


def modules() -> list[Path]:
    return [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0], node.lineno


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_run_one_way(path: Path) -> None:
    floor = path.relative_to(ROOT).parts[0]
    for name, line in imports(path):
        if name in FLOORS and name != floor:
            assert FLOORS[name] < FLOORS[floor], f"{path}:{line}: {floor} imports {name}"
        if floor in ("g2w", "models"):
            assert name not in UNKNOWN_TO_DOMAIN, f"{path}:{line}: the domain imports {name}"


def test_packages_resolve_inside_the_checkout() -> None:
    for name in FLOORS:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        assert Path(spec.origin).resolve().is_relative_to(ROOT), f"{name} resolves to {spec.origin}"


def test_definitions_load_fast_and_light() -> None:
    """Each step process, sensor and schedule pays this price: under 2 s of CPU and 150 MB, and nothing heavy."""
    code = (
        "import json, sys, time; start = time.process_time();"
        "import g2w_assets.definitions;"
        "print(json.dumps({'cpu_s': time.process_time() - start,"
        # Not ru_maxrss: after a fork it still holds the peak of the process that forked.
        " 'rss_mb': int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024,"
        f" 'heavy': sorted(set(sys.modules) & {HEAVY!r})}}))"
    )
    for _ in range(2):  # the first call may still have to compile bytecode
        found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    measured = json.loads(found.stdout.splitlines()[-1])
    assert measured["heavy"] == []
    assert measured["rss_mb"] < 150, measured
    assert measured["cpu_s"] < 2.0, measured


def test_nothing_is_a_placeholder() -> None:
    for path in [*modules(), *sorted((ROOT / "tests").rglob("*.py"))]:
        text = path.read_text(encoding="utf-8")
        for word in ("NotImplementedError", "TO" + "DO", "FIX" + "ME"):
            assert word not in text or path == Path(__file__), f"{path} holds {word}"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
                assert not (body and all(isinstance(n, ast.Pass) for n in body)), (
                    f"{path}:{node.lineno}: {node.name} is only pass"
                )


def test_dagster_packages_are_one_train() -> None:
    """An unpinned install silently pairs dagster with a dagster-aws of 2021."""
    from importlib import metadata

    assert metadata.version("dagster") == "1.13.27"
    assert metadata.version("dagster-aws") == "0.29.27"
    assert importlib.util.find_spec("dagster_aws.s3") is not None
