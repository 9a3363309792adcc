from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from g2w.ui.coordinates import SENT_SIZE, Coordinates
from g2w.ui.detector import DetectReason
from g2w.ui.mllm_detect import MllmConfig, MllmDetector
from g2w.ui.vision import VisionError, VisionReply, VisionRequest

HUD = {"id": 1, "cls": "player_status", "anchor": "screen", "box": [20, 900, 250, 980], "score": 0.8}
NOTE = {"id": 2, "cls": "screen_notice", "anchor": "screen", "box": [400, 200, 600, 260], "score": 0.6}
FRAMES = (12, 36, 60)


class Table:
    """A model whose answer is looked up by the frame it is asked about."""

    def __init__(self, answer: Callable[[int, VisionRequest], str]) -> None:
        self.identity = {"model": "qwen3-vl", "backend": "table"}
        self.answer, self.requests = answer, list[VisionRequest]()

    def ask(self, request: VisionRequest) -> VisionReply:
        self.requests.append(request)
        found = re.search(r"Picture id: f(\d+)", request.prompt)
        assert found is not None
        return VisionReply(self.answer(int(found[1]), request), "stop")


def _reply(frame: int, *elements: dict) -> str:
    return json.dumps({"image_id": f"f{frame:05d}", "elements": elements})


def test_boxes_of_several_frames_become_elements(scene) -> None:
    moved = {**HUD, "box": [22, 902, 252, 982]}
    table = Table(lambda frame, _: _reply(frame, *([moved, NOTE] if frame == 36 else [HUD])))
    hud, note = MllmDetector(table).propose(scene.path)
    assert len(table.requests) == 3 and table.requests[0].image.shape == (SENT_SIZE[1], SENT_SIZE[0], 3)
    assert (hud["status"], hud["cls"], hud["x"], hud["y"], hud["w"], hud["h"]) == (
        "ok", "player_status", 26, 648, 294, 58,
    )  # fmt: skip
    assert (hud["confidence"], hud["transient"], hud["first_frame"]) == (0.8, False, 0)
    assert (note["confidence"], note["transient"], note["first_frame"], note["last_frame"]) == (0.2, True, 36, 36)
    assert hud["detector"].startswith("mllm-detector@2:qwen3-vl#")


def test_frames_disagree_about_the_class(scene) -> None:
    other = {**HUD, "cls": "team_status"}
    (row,) = MllmDetector(Table(lambda frame, _: _reply(frame, other if frame == 36 else HUD))).propose(scene.path)
    assert row["cls"] == "player_status" and row["cls_confidence"] == pytest.approx(0.6667)


def test_what_hangs_on_the_world_or_the_pointer_is_labelled_apart(scene) -> None:
    tag = {**NOTE, "cls": "target_status", "anchor": "world_projected"}
    unsure = {**HUD, "anchor": "cursor"}
    table = Table(lambda frame, _: _reply(frame, unsure if frame == 36 else HUD, *([tag] if frame > 12 else [])))
    hud, marker = MllmDetector(table).propose(scene.path)
    assert (hud["cls"], hud["anchor"]) == ("player_status", "screen"), "the frames' majority decides"
    assert (marker["cls"], marker["anchor"], marker["status"]) == ("target_status", "world_projected", "ok")


def test_a_bad_answer_is_sent_back_once_with_what_is_wrong(scene) -> None:
    def answer(frame: int, request: VisionRequest) -> str:
        return _reply(frame, HUD) if request.complaint else _reply(frame + 1, HUD)

    table = Table(answer)
    (row,) = MllmDetector(table, MllmConfig(num_frames=1)).propose(scene.path)
    assert row["status"] == "ok" and len(table.requests) == 2
    text, problem = table.requests[1].complaint
    assert "f00037" in text and "must be 'f00036'" in problem


def test_an_answer_that_stays_bad_is_a_row(scene) -> None:
    table = Table(lambda frame, _: "no" if frame == 12 else _reply(frame, HUD, {**NOTE, "cls": "sword"}))
    rows = MllmDetector(table).propose(scene.path)
    assert [row["status"] for row in rows] == ["ok", "error", "rejected", "rejected"]
    assert rows[0]["confidence"] == 0.8, "a frame without an answer is no evidence against an element"
    assert (rows[1]["reason"], rows[1]["first_frame"]) == ("not_json", 12)
    assert (rows[2]["reason"], rows[2]["x"], rows[2]["cls"]) == ("unknown_class", 512, None)
    assert len(table.requests) == 4


def test_a_model_that_fails_is_a_row_a_frame(scene) -> None:
    def fail(frame: int, request: VisionRequest) -> str:
        raise VisionError(DetectReason.BUDGET_EXHAUSTED, "spent")

    rows = MllmDetector(Table(fail)).propose(scene.path)
    assert [(row["status"], row["reason"], row["first_frame"]) for row in rows] == [
        ("error", "budget_exhausted", frame) for frame in FRAMES
    ]


def test_a_file_that_is_no_video_is_a_row(tmp_path) -> None:
    (tmp_path / "x.mp4").write_bytes(b"hello")
    for name in ("x.mp4", "absent.mp4"):
        (row,) = MllmDetector(Table(lambda frame, _: "")).propose(tmp_path / name)
        assert (row["status"], row["reason"]) == ("error", "unreadable")


def test_two_boxes_of_one_frame_are_two_elements(scene) -> None:
    twice = {**HUD, "id": 2, "cls": "ability_status"}
    rows = MllmDetector(Table(lambda frame, _: _reply(frame, HUD, twice))).propose(scene.path)
    assert len(rows) == 2 and all(row["confidence"] == 0.8 for row in rows)


def test_the_identity_holds_prompt_schema_and_unit() -> None:
    table = Table(lambda frame, _: "")
    mille, pixel = (MllmDetector(table, MllmConfig(unit=unit)).identity for unit in (None, Coordinates.PIXEL))
    assert mille.prompt_sha256 != pixel.prompt_sha256 and mille.schema_sha256 == pixel.schema_sha256
    assert mille.label != pixel.label and mille.settings["vision"] == table.identity
    with pytest.raises(ValueError, match="num_frames"):
        MllmConfig(num_frames=0)
