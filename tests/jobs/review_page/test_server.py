"""The page's server from the outside, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from g2w.ui.review.decisions import DecisionLog
from jobs.review_page.board import Board
from jobs.review_page.proposals import current_proposals
from jobs.review_page.server import MAX_BODY_BYTES, make_app
from tests.jobs.review_lake import build_lake

URL = "http://127.0.0.1:8765"


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    return DecisionLog(tmp_path / "log.jsonl")


@pytest.fixture
def client(tmp_path: Path, log: DecisionLog) -> TestClient:
    root = build_lake(tmp_path).root
    return TestClient(make_app(Board(lambda: current_proposals(root), log)), base_url=URL)


def first(client: TestClient, reviewer: str = "ada") -> dict[str, Any]:
    return client.get("/api/queue", params={"reviewer": reviewer}).json()["proposals"][0]


def decide(client: TestClient, at: float = 1.0, **fields: Any) -> Any:
    body = {"proposal": first(client)["id"], "reviewer": "ada", "verdict": "reject", "cls": None, "box": None}
    return client.post("/api/decisions", json={**body, "decided_unix_s": at, **fields})


def test_the_page_and_its_parts_come_from_here_alone(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200 and "g2w review" in answer.text and "http://" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    for name in ("app.js", "box.js", "delivery.js", "dialogs.js", "pictures.js", "style.css"):
        part = client.get(f"/static/{name}")
        assert part.status_code == 200 and "https://" not in part.text
    assert client.get("/static/../server.py").status_code == 404


def test_two_reviewers_decide(client: TestClient, log: DecisionLog) -> None:
    proposal = first(client)
    assert proposal["state"] == "waiting" and proposal["cls"] == "player_status"
    answer = decide(client, verdict="accept", cls="map_radar", box=[5, 6, 70, 80])
    assert answer.status_code == 200 and answer.json()["recorded"]
    assert decide(client, reviewer="bo").json()["proposal"]["state"] == "open"
    assert first(client, "bo")["others"] == [
        {"reviewer": "ada", "verdict": "accept", "cls": "map_radar", "box": [5, 6, 70, 80]}
    ]
    assert [d.reviewer for d in log.read().decisions] == ["ada", "bo"]


def test_mistakes_are_answered_with_what_is_wrong(client: TestClient, log: DecisionLog) -> None:
    whole = {"verdict": "accept", "cls": "map_radar", "box": [0, 0, 9, 9]}
    for status, says, fields in (
        (400, "perhaps", {"verdict": "perhaps"}),
        (400, "no class of the taxonomy", {**whole, "cls": "<b>"}),
        (400, "does not lie inside", {**whole, "box": [0, 700, 10, 30]}),
        (400, "Extra inputs", {"more": 1}),
        (404, "reload the queue", {"proposal": "unknown"}),
        (413, "bytes", {"reviewer": "a" * MAX_BODY_BYTES}),
    ):
        answer = decide(client, **fields)
        assert answer.status_code == status and says in answer.json()["error"]
    assert client.post("/api/decisions", content=b"{").status_code == 415
    assert client.post("/api/decisions", content=b"{", headers={"content-type": "application/json"}).status_code == 400
    assert client.get("/api/frame/unknown.png").status_code == 404 == client.get("/api/matte/unknown").status_code
    assert log.read().decisions == ()


def test_other_pages_cannot_use_it(client: TestClient, log: DecisionLog) -> None:
    body = {"proposal": first(client)["id"], "reviewer": "eve", "verdict": "reject", "cls": None, "box": None}
    body["decided_unix_s"] = 1.0
    for status, headers in (
        (421, {"host": "evil.example"}),
        (421, {"host": "127.0.0.1.evil.example:8765"}),
        (421, {"host": ""}),
        (403, {"origin": "http://evil.example"}),
        (403, {"origin": "null"}),
        (403, {"origin": "http://127.0.0.1:9999"}),
    ):
        assert client.post("/api/decisions", json=body, headers=headers).status_code == status, headers
    assert log.read().decisions == ()
    for headers in ({"origin": URL}, {"host": "localhost:8765"}, {"host": "[::1]:8765"}):
        assert client.get("/api/queue", headers=headers).status_code == 200
    assert client.post("/api/decisions", json=body, headers={"origin": URL}).status_code == 200


def test_a_log_that_cannot_be_written_is_no_mistake_of_the_page(client: TestClient, log: DecisionLog) -> None:
    proposal = first(client)["id"]
    log.path.mkdir()
    body = {"proposal": proposal, "reviewer": "ada", "verdict": "reject", "cls": None, "box": None}
    answer = client.post("/api/decisions", json={**body, "decided_unix_s": 1.0})
    assert answer.status_code == 503, "what may get better is a 5xx: the page keeps its decision and tries again"
    log.path.rmdir()
    assert client.post("/api/decisions", json={**body, "decided_unix_s": 1.0}).json()["recorded"]


def test_pictures_and_the_reason_where_there_is_none(client: TestClient) -> None:
    proposal = first(client)["id"]
    frame = client.get(f"/api/frame/{proposal}.png")
    assert frame.headers["content-type"] == "image/png" and frame.content[:4] == b"\x89PNG"
    assert client.get(f"/api/matte/{proposal}").json()["reason"] == "too_few_frames"
    answer = client.get(f"/api/cut/{proposal}.png")
    assert answer.status_code == 404 and "too_few_frames" in answer.json()["error"]
