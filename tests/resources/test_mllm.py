from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import numpy as np
import pytest

from g2w.ui.coordinates import Coordinates
from g2w.ui.detector import DetectReason
from g2w.ui.mllm_prompt import SYSTEM, reply_schema, user_prompt
from g2w.ui.vision import VisionError, VisionRequest
from resources.mllm import KEY_VARIABLE, Endpoint, EndpointConfig
from resources.mllm_budget import Budget
from tests.resources.mllm_server import ChatServer, serve

ELEMENT = {"id": 1, "cls": "crosshair", "anchor": "screen", "box": [490, 490, 510, 510], "score": 0.9}


@pytest.fixture
def server() -> Iterator[tuple[ChatServer, str]]:
    chat = ChatServer(lambda frame: [ELEMENT])
    with serve(chat) as url:
        yield chat, url


def _request() -> VisionRequest:
    image = np.random.default_rng(0).integers(0, 255, (72, 128, 3), dtype=np.uint8)
    return VisionRequest(SYSTEM, user_prompt("f00000", Coordinates.PER_MILLE), image, reply_schema())


def _endpoint(url: str, waits: list[float] | None = None, **changes) -> Endpoint:
    config = EndpointConfig(**{"url": url, "model": "qwen3-vl", "timeout_s": 5.0, **changes})
    return Endpoint(config, sleep=(waits if waits is not None else []).append)


def test_a_question_follows_the_protocol(server, monkeypatch) -> None:
    chat, url = server
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    reply = _endpoint(url).ask(_request())
    assert json.loads(reply.text) == {"image_id": "f00000", "elements": [ELEMENT]}
    assert (reply.finish, reply.served_model, reply.tokens_in, reply.tokens_out) == ("stop", "twin-truth-1", 1200, 100)
    (body,) = chat.requests
    assert body["temperature"] == 0 and body["model"] == "qwen3-vl" and body["n"] == 1
    form = body["response_format"]
    assert form["type"] == "json_schema" and form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["additionalProperties"] is False
    assert chat.picture_sizes == [(128, 72)]
    assert "authorization" not in chat.headers[0]


def test_the_key_is_sent_and_never_told(server, monkeypatch, caplog) -> None:
    chat, url = server
    monkeypatch.setenv(KEY_VARIABLE, "sk-very-secret")
    endpoint = _endpoint(url, tries=1)
    chat.faults = [("status", 401)]
    with caplog.at_level(logging.DEBUG), pytest.raises(VisionError) as caught:
        endpoint.ask(_request())
    assert caught.value.reason is DetectReason.UNAUTHORIZED
    assert chat.headers[0]["authorization"] == "Bearer sk-very-secret"
    said = f"{caught.value!r} {endpoint.identity} {vars(endpoint)} {caplog.text}"
    assert "sk-very-secret" not in said and "secret" not in said


def test_trouble_that_passes_is_waited_out(server) -> None:
    chat, url = server
    chat.faults = [("status", 503), ("retry_after", 7), "hangup"]
    waits: list[float] = []
    reply = _endpoint(url, waits).ask(_request())
    assert reply.attempts == 4 and len(chat.requests) == 4
    assert waits[1] == 7.0, "the server said how long"
    assert 0.75 <= waits[0] <= 1.25 and 3.0 <= waits[2] <= 5.0, "else the wait doubles"


@pytest.mark.parametrize(
    ("fault", "reason", "requests"),
    [
        (("status", 503), DetectReason.SERVER_ERROR, 4),
        (("status", 400), DetectReason.REQUEST_REJECTED, 1),
        (("status", 403), DetectReason.UNAUTHORIZED, 1),
        (("retry_after", 1), DetectReason.RATE_LIMITED, 4),
        (("raw", b"<html>gateway</html>"), DetectReason.BAD_RESPONSE, 1),
        (("raw", b'{"choices": []}'), DetectReason.BAD_RESPONSE, 1),
        (("raw", b'{"choices": [{"message": {"content": null}}]}'), DetectReason.BAD_RESPONSE, 1),
        (("raw", b"[" * 100_000), DetectReason.BAD_RESPONSE, 1),
        ("endless", DetectReason.ANSWER_TOO_LONG, 1),
        ("hangup", DetectReason.UNREACHABLE, 4),
    ],
)
def test_trouble_that_stays_has_a_reason(server, fault, reason, requests) -> None:
    chat, url = server
    chat.faults = [fault] * 10
    with pytest.raises(VisionError) as caught:
        _endpoint(url).ask(_request())
    assert caught.value.reason is reason and len(chat.requests) == requests


@pytest.mark.parametrize("fault", [("sleep", 1.0), "drip"])
def test_neither_silence_nor_a_drip_keeps_us_waiting(server, fault) -> None:
    chat, url = server
    chat.faults = [fault] * 2
    with pytest.raises(VisionError) as caught:
        _endpoint(url, tries=2, timeout_s=0.3).ask(_request())
    assert caught.value.reason is DetectReason.TIMEOUT
    assert chat.times[1] - chat.times[0] < 0.9


def test_nobody_there() -> None:
    with pytest.raises(VisionError) as caught:
        _endpoint("http://127.0.0.1:9/v1", tries=2).ask(_request())
    assert caught.value.reason is DetectReason.UNREACHABLE


def test_a_refusal_is_told_apart(server) -> None:
    chat, url = server
    chat.faults = [("refusal", "I cannot look at this.")]
    reply = _endpoint(url).ask(_request())
    assert reply.finish == "content_filter" and reply.text == ""


def test_failed_attempts_count_against_the_budget(server, tmp_path) -> None:
    chat, url = server
    chat.faults = [("status", 500)] * 10
    budget = Budget(tmp_path / "ledger.json", max_calls=3, max_tokens=10_000)
    endpoint = Endpoint(EndpointConfig(url, "m"), budget, sleep=lambda seconds: None)
    with pytest.raises(VisionError) as caught:
        endpoint.ask(_request())
    assert caught.value.reason is DetectReason.BUDGET_EXHAUSTED
    assert len(chat.requests) == 3 and budget.spent() == (3, 0)


@pytest.mark.parametrize("url", ["ftp://host/v1", "host/v1", "http://", "http://user:pw@host/v1"])
def test_an_address_is_checked_and_a_password_in_it_refused(url) -> None:
    with pytest.raises(ValueError, match="G2W_MLLM_URL") as caught:
        EndpointConfig(url, "m")
    assert "pw" not in str(caught.value)
