from __future__ import annotations

import json

from typer.testing import CliRunner

from jobs.cli import app
from jobs.doctor import examine


def test_doctor_names_the_command_that_fetches_missing_weights(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("G2W_WEIGHTS", str(tmp_path))
    found = {finding.what: finding for finding in examine()}
    assert found["preset tiny"].state == "ok"
    assert found["preset dev"].state == "missing" and "hf download Wan-AI/Wan2.1" in found["preset dev"].note
    assert found["dagster + dagster-aws"].state == "ok"
    (tmp_path / "Wan-AI/Wan2.1-T2V-1.3B-Diffusers").mkdir(parents=True)
    (tmp_path / "Qwen/Qwen2.5-VL-3B-Instruct").mkdir(parents=True)
    assert {f.what: f.state for f in examine()}["preset dev"] == "ok"


def test_doctor_speaks_json() -> None:
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert {"what", "state", "note"} == set(json.loads(done.output)[0])
