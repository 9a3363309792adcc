"""Children that lie, vanish or hang, run through real Dagster Pipes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from resources.compute import ChildFailed, LocalCompute

CHILD = """
import hashlib, json, pathlib, sys
request = json.loads(pathlib.Path(sys.argv[1]).read_text())
work = pathlib.Path(sys.argv[1]).parent.parent
(work / "model.safetensors").write_bytes(b"weights")
digest = hashlib.sha256(b"weights").hexdigest() if request["honest"] else "0" * 64
if request["leave"]:
    pathlib.Path(request["result"]).write_text(json.dumps({"steps": 3, "checkpoints": {"model.safetensors": digest}}))
sys.exit(request["code"])
"""

PARENT = """
import pathlib, subprocess, sys, time
from resources.compute import _die_with_parent
child = subprocess.Popen([*_die_with_parent(), sys.executable, "-c", "import time; time.sleep(120)"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
time.sleep(120)
"""


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **request):
    package = tmp_path / "package"
    package.mkdir(exist_ok=True)
    (package / "g2w_test_child.py").write_text(CHILD)
    monkeypatch.setenv("PYTHONPATH", str(package))
    found = {}

    @dg.asset
    def trained(context):
        asked = {"honest": True, "leave": True, "code": 0, **request}
        found.update(LocalCompute(threads=1).run(context, module="g2w_test_child", request=asked, work=tmp_path))
        return dg.MaterializeResult()

    result = dg.materialize([trained], raise_on_error=True)
    assert result.success
    return found


def test_the_result_file_is_what_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(tmp_path, monkeypatch)["steps"] == 3


def test_a_child_without_a_result_has_failed_even_with_exit_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChildFailed, match="without leaving"):
        run(tmp_path, monkeypatch, leave=False)


def test_a_checkpoint_with_another_hash_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChildFailed, match="its result says"):
        run(tmp_path, monkeypatch, honest=False)


def test_a_child_that_fails_fails_the_asset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Exception, match="code 5"):
        run(tmp_path, monkeypatch, code=5)


def test_children_die_with_their_parent(tmp_path: Path) -> None:
    """The worker is killed, as the kernel does when memory runs out: its trainer must not live on."""
    note = tmp_path / "child.pid"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(note)])
    deadline = time.monotonic() + 120  # both import Dagster, on a machine that may be busy
    try:
        while not note.exists() or not note.read_text():
            assert time.monotonic() < deadline, "no child was started"
            time.sleep(0.05)
    finally:
        parent.kill()
        parent.wait()
    child, deadline = int(note.read_text()), time.monotonic() + 30
    while _lives(child):
        assert time.monotonic() < deadline, "the child outlived its parent"
        time.sleep(0.05)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
