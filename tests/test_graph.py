"""The whole graph, small but real, through the command a person types: run, run again, kill and run again, audit."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from g2w.lineage.lake import Lake
from jobs.automation import CLEAN_KEYS, INGEST_KEYS, LEARN_KEYS, PROVE_KEYS, TRAIN_KEYS

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]
SMALL = {
    "footage_share": 0.2, "train_recipes": 12, "bench_recipes": 1, "rendered_train_pairs": 1, "bench_num_frames": 30,
    "bench_max_clips": 1, "cleaner_steps": 6, "lite_steps": 6, "pilot_steps": 6, "action_steps": 6,
    "bootstrap_replicates": 200,
}  # fmt: skip
KILLED_AFTER_S = (9.0, 31.0, 64.0)
FLIPPED = ("raw/clips", "ui/library", "cleaner/lite", "bench/outputs", "bench/verdicts")


class Workplace:
    """One lake with its Dagster home, and the command run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "home").mkdir(parents=True)
        shutil.copy(ROOT / "dagster_home" / "dagster.yaml", folder / "home")
        self.environment = {
            **os.environ, "G2W_LAKE": str(folder / "lake"), "DAGSTER_HOME": str(folder / "home"),
            "G2W_OVERRIDES": json.dumps(SMALL),
        }  # fmt: skip
        self.lake = Lake(str(folder / "lake"))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "jobs.cli", *arguments]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip

    def run(self, *arguments: str, code: int = 0) -> str:
        process = self.start(*arguments)
        text, _ = process.communicate(timeout=900)
        assert process.returncode == code, text[-4000:]
        return text

    def heads(self) -> dict[str, str]:
        found = {}
        for key in (*INGEST_KEYS, *CLEAN_KEYS):
            for batch in self.lake.batches():
                head = self.lake.head(key, batch)
                found[f"{key} {batch}"] = head.manifest_sha256 if head else ""
        for key in (*LEARN_KEYS, *TRAIN_KEYS, *PROVE_KEYS):
            head = self.lake.head(key, "all")
            found[key] = head.manifest_sha256 if head else ""
        return found


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workplace, str]:
    place = Workplace(tmp_path_factory.mktemp("graph"))
    return place, place.run("demo")


def test_every_asset_is_materialized(done: tuple[Workplace, str]) -> None:
    place, text = done
    assert all(place.heads().values()), [key for key, head in place.heads().items() if not head]
    report = Path(
        next(line for line in text.splitlines() if line.startswith("report ")).removeprefix("report ").strip()
    )
    assert "<html" in report.read_text(encoding="utf-8")[:200].lower()
    for key in (*LEARN_KEYS, *TRAIN_KEYS, *PROVE_KEYS):
        assert place.lake.open(place.lake.head(key, "all")).manifest.rows > 0, key


def test_negative_controls_are_exact(done: tuple[Workplace, str]) -> None:
    place, _ = done
    scores = {row["score_id"]: row["value"] for row in place.lake.open(place.lake.head("bench/removal", "all")).rows()}
    for suite in ("game2world_gt", "game2world_s"):
        assert (scores[f"{suite}/copy-input/aar"], scores[f"{suite}/copy-input/bg"]) == (0.0, 100.0)
        assert (scores[f"{suite}/oracle/aar"], scores[f"{suite}/oracle/bg"]) == (100.0, 100.0)


def test_a_second_run_does_nothing(done: tuple[Workplace, str]) -> None:
    place, _ = done
    before, start = place.heads(), time.monotonic()
    text = place.run("demo")
    assert place.heads() == before
    assert "is already there" in text and "MLflow run" not in text
    assert time.monotonic() - start < 60


def test_killed_and_run_again_gives_the_same_snapshots(done: tuple[Workplace, str], tmp_path: Path) -> None:
    whole, _ = done
    place = Workplace(tmp_path / "killed")
    for seconds in KILLED_AFTER_S:
        process = place.start("demo")
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    place.run("demo")
    assert place.heads() == whole.heads()
    assert not list((tmp_path / "killed/lake").rglob(".tmp-*")), "nothing half-made is left behind"


def test_audit_walks_to_the_sources_and_sees_every_flipped_byte(done: tuple[Workplace, str]) -> None:
    place, _ = done
    score = "game2world_gt/lite/aar"
    text = place.run("audit", score)
    assert "intact" in text
    for batch in place.lake.batches():
        for source in place.lake.batch(batch).sources:
            assert source.sha256 in text
    for key in FLIPPED:
        batch = "all" if place.lake.head(key, "all") else place.lake.batches()[-1]
        snapshot = place.lake.open(place.lake.head(key, batch))
        path = snapshot.local(max(snapshot.manifest.files, key=lambda entry: entry.size_bytes).path)
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        assert "broken" in place.run("audit", score, code=1), f"a flipped byte in {key} went unseen"
        path.write_bytes(whole)
    assert "no score is called" in place.run("audit", "game2world_gt/lite/beauty", code=2)


def test_training_runs_are_linked_both_ways(done: tuple[Workplace, str]) -> None:
    place, _ = done
    facts = place.lake.open(place.lake.head("cleaner/checkpoint", "all")).run_facts
    import mlflow

    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{place.folder / 'home' / 'mlflow.db'}")
    run = client.get_run(str(facts["mlflow_run_id"]))
    assert run.data.tags["dagster.run_id"] == facts["dagster_run_id"]
    assert run.data.tags["g2w.snapshot"] == place.lake.head("cleaner/checkpoint", "all").snapshot
    assert "loss" in run.data.metrics
