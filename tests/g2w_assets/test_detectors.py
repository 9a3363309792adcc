"""The whole way: a twin, a real HTTP server that answers with its truth, and the shard function of ui/proposals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from g2w.ui.coordinates import SENT_SIZE
from g2w.ui.evaluate import match, rate
from g2w.video.write import write_video
from g2w_assets import settings, shards
from g2w_assets.detectors import DetectorSpec, detector_recipe, load_detector, spec_of
from g2w_assets.plan import Plan, PlanError, PlanResource
from tests.resources.mllm_server import ChatServer, serve

TRUTH = [
    {"x": 24, "y": 604, "w": 384, "h": 92, "cls": "player_status"},
    {"x": 1106, "y": 22, "w": 150, "h": 150, "cls": "map_radar"},
    {"x": 625, "y": 345, "w": 30, "h": 30, "cls": "crosshair"},
]


def _elements(frame: int, *, pixels: bool = False) -> list[dict[str, Any]]:
    sx, sy = (SENT_SIZE[0] / 1280, SENT_SIZE[1] / 720) if pixels else (1000 / 1280, 1000 / 720)
    return [
        {
            "id": k,
            "cls": t["cls"],
            "anchor": "screen",
            "box": [
                round(t["x"] * sx),
                round(t["y"] * sy),
                round((t["x"] + t["w"]) * sx),
                round((t["y"] + t["h"]) * sy),
            ],
            "score": 0.9,
        }
        for k, t in enumerate(TRUTH, 1)
    ]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 255, (9, 16, 3), dtype=np.uint8).repeat(80, 0).repeat(80, 1) for _ in range(12)]
    write_video(path, frames, preset="ultrafast")
    return path


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    server = ChatServer(_elements)
    load_detector.cache_clear()
    with serve(server) as url:
        monkeypatch.setenv("G2W_MLLM_URL", url)
        monkeypatch.setenv("G2W_MLLM_CACHE", str(tmp_path / "mllm"))
        yield server
    load_detector.cache_clear()


def _propose(clip: Path, *, max_calls: int = 100, model: str = "qwen3-vl") -> list[dict[str, Any]]:
    spec = DetectorSpec("endpoint", model, 3, max_calls, 10**6)
    return shards.propose({"clip_id": "c", "game": "g", "split": "train", "path": str(clip), "detector": spec.item()})


@pytest.mark.parametrize("model", ["qwen3-vl", "Qwen/Qwen2.5-VL-7B-Instruct"])
def test_truth_told_by_a_server_comes_back_as_proposals_in_either_unit(chat, clip, model) -> None:
    chat.truth = lambda frame: _elements(frame, pixels="2.5" in model)
    rows = _propose(clip, model=model)
    found = rate([match(rows, TRUTH, min_iou=0.8)])
    assert (found.recall, found.precision, found.class_accuracy) == (1.0, 1.0, 1.0)
    assert chat.picture_sizes == [SENT_SIZE] * 3 and {row["anchor"] for row in rows} == {"screen"}
    assert shards.with_schema(rows, shards.PROPOSAL_SCHEMA).num_rows == 3


def test_a_second_run_asks_nothing_and_gives_the_same_rows(chat, clip) -> None:
    first = _propose(clip)
    load_detector.cache_clear()
    assert _propose(clip) == first and len(chat.requests) == 3


def test_faults_on_the_way_cost_at_most_their_own_frame(chat, clip) -> None:
    def with_faults(text: str) -> str:
        reply = json.loads(text)
        reply["elements"] += [
            {"id": 8, "cls": "excalibur", "anchor": "screen", "box": [1, 1, 99, 99], "score": 0.5},
            {"id": 9, "cls": "watermark", "anchor": "screen", "box": [99, 1, 1, 99], "score": 0.5},
        ]
        return json.dumps(reply)

    # frame 1: 503, then an answer with two bad boxes; frame 2: a refusal twice; frame 3: cut off, then good
    chat.faults = [("status", 503), ("text", with_faults), ("refusal", "no"), ("refusal", "no"), ("finish", "length")]
    rows = _propose(clip)
    assert rate([match([r for r in rows if r["status"] == "ok"], TRUTH)]).recall == 1.0
    assert sorted((row["status"], row["reason"]) for row in rows if row["status"] != "ok") == [
        ("error", "refused"),
        ("rejected", "box_inverted"),
        ("rejected", "unknown_class"),
    ]
    assert len(chat.requests) == 6


def test_garbage_all_the_way_is_an_error_row_a_frame(chat, clip) -> None:
    chat.faults = [("text", "\u0000\ufffd garbage {"), ("text", '{"image_id": "f00002", "elem')] * 3
    rows = _propose(clip)
    assert [row["reason"] for row in rows] == ["not_json"] * 3


def test_a_spent_budget_stops_cleanly_and_a_larger_one_goes_on(chat, clip) -> None:
    rows = _propose(clip, max_calls=2)
    assert [row["reason"] for row in rows if row["status"] == "error"] == ["budget_exhausted"]
    assert len(chat.requests) == 2
    assert all(row["status"] == "ok" for row in _propose(clip, max_calls=3))
    assert len(chat.requests) == 3, "what was answered before is not asked again"


def test_the_recipe_names_the_detector(monkeypatch) -> None:
    monkeypatch.setenv("G2W_MLLM_URL", "http://127.0.0.1:9/v1")
    builtin = detector_recipe(Plan("tiny"))["detector"]
    assert builtin["name"] == "builtin-detector" and builtin["model"] is None
    endpoint = detector_recipe(Plan("tiny", detector="endpoint", detector_model="qwen3-vl"))["detector"]
    assert endpoint["model"] == "qwen3-vl" and len(endpoint["prompt_sha256"]) == 64
    assert "127.0.0.1" not in json.dumps(endpoint), "where a model is served does not decide the rows"


def test_the_environment_chooses_and_the_overrides_win(monkeypatch) -> None:
    monkeypatch.setenv("G2W_DETECTOR", "endpoint")
    monkeypatch.setenv("G2W_MLLM_MODEL", "m")
    plan = PlanResource(overrides=settings.overrides()).load()
    assert spec_of(plan, "b1-x").item()["ledger"] == "b1-x" and plan.detector_model == "m"
    monkeypatch.setenv("G2W_OVERRIDES", '{"detector": "builtin"}')
    assert spec_of(PlanResource(overrides=settings.overrides()).load()).backend == "builtin"


def test_a_detector_without_its_model_says_what_to_set() -> None:
    with pytest.raises(PlanError, match="G2W_MLLM_MODEL"):
        spec_of(Plan("tiny", detector="endpoint"))
    with pytest.raises(PlanError, match="G2W_DETECTOR"):
        Plan("tiny", detector="gpt")


def test_local_weights_that_are_absent_name_the_command_that_fetches_them(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("G2W_WEIGHTS", str(tmp_path))
    plan = Plan("tiny", detector="local", detector_model="Qwen/Qwen2.5-VL-7B-Instruct")
    with pytest.raises(FileNotFoundError, match=r"hf download Qwen/Qwen2\.5-VL-7B-Instruct"):
        load_detector(spec_of(plan))


def test_a_crash_is_a_row_with_its_reason() -> None:
    (row,) = shards.propose_crashed({"clip_id": "c", "game": "g", "split": "train"})
    assert (row["status"], row["reason"]) == ("crashed", "crashed")
    assert shards.with_schema([row], shards.PROPOSAL_SCHEMA).num_rows == 1
