from __future__ import annotations

from dataclasses import replace

import numpy as np

from g2w.ui.vision import VisionReply, VisionRequest
from resources.mllm_cache import CachedVision

IMAGE = np.zeros((4, 4, 3), np.uint8)
REQUEST = VisionRequest("system", "prompt", IMAGE, {"type": "object"})


class Model:
    def __init__(self, name: str = "m", finish: str = "stop") -> None:
        self.identity, self.finish, self.calls = {"model": name}, finish, 0

    def ask(self, request: VisionRequest) -> VisionReply:
        self.calls += 1
        return VisionReply(f"answer {self.calls}", self.finish)


def test_the_same_question_is_asked_once(tmp_path) -> None:
    model = Model()
    first, second = (CachedVision(model, tmp_path).ask(REQUEST) for _ in range(2))
    assert (model.calls, first.text, second.text) == (1, "answer 1", "answer 1")
    assert (first.cached, second.cached) == (False, True)


def test_anything_that_can_change_the_answer_is_another_question(tmp_path) -> None:
    model = Model()
    cached = CachedVision(model, tmp_path)
    other = IMAGE.copy()
    other[0, 0, 0] = 1
    for request in (
        REQUEST,
        replace(REQUEST, system="s"),
        replace(REQUEST, prompt="p"),
        replace(REQUEST, image=other),
        replace(REQUEST, image=IMAGE.reshape(2, 8, 3)),
        replace(REQUEST, schema={}),
        replace(REQUEST, complaint=("a", "b")),
    ):
        cached.ask(request)
    assert model.calls == 7
    model2 = Model("other")
    CachedVision(model2, tmp_path).ask(REQUEST)
    assert model2.calls == 1


def test_answers_that_were_cut_off_are_not_kept(tmp_path) -> None:
    model = Model(finish="length")
    cached = CachedVision(model, tmp_path)
    cached.ask(REQUEST), cached.ask(REQUEST)
    assert model.calls == 2


def test_a_damaged_entry_is_asked_again_and_mended(tmp_path) -> None:
    model = Model()
    cached = CachedVision(model, tmp_path)
    cached.ask(REQUEST)
    (entry,) = tmp_path.rglob("*.json")
    entry.write_text('{"version": 1, "reply": {"tex')
    assert cached.ask(REQUEST).text == "answer 2"
    assert cached.ask(REQUEST).cached and model.calls == 2
