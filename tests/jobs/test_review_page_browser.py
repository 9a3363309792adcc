"""A hundred proposals reviewed by keyboard in real Chromium, while the server is killed twice: nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from g2w.footage.episode import EpisodeConfig, render_episode
from g2w.ui.review.decisions import Decision, DecisionLog, current, proposal_id
from tests.jobs.review_lake import build_lake

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium")
NUM_PROPOSALS, KILLED_AT, CLOSED_AT = 100, 50, 75
Told = tuple[str, str | None, tuple[int, ...] | None]
START = "import sys; from jobs.cli import app; sys.argv = ['g2w', *sys.argv[1:]]; app()"


class Server:
    """`g2w review serve` as a process of its own, which can be killed and started again at the same address."""

    def __init__(self, lake: str, log: Path) -> None:
        self._environment = {**os.environ, "G2W_LAKE": lake, "G2W_REVIEW": str(log), "PYTHONPATH": str(ROOT)}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-c", START, "review", "serve", "--port", str(self.port)]
        self._process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "the server ended"
            try:
                with urllib.request.urlopen(self.url, timeout=2):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"no server at {self.url}")

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Proposals around the true elements of real gameplay, each with the `path` of the clip."""
    inbox = tmp_path_factory.mktemp("inbox")
    (video,) = render_episode(EpisodeConfig("freedoom2", "MAP04", seed=5, num_frames=44, hud="a1"), inbox)
    truth = pq.read_table(inbox / f"{video['name']}.elements.parquet").to_pylist()
    elements = [row for row in truth if row["frame_index"] == 22 and row["visible"]]
    fixed = {"clip_id": "c1", "split": "train", "status": "ok", "anchor": "screen", "first_frame": 0, "last_frame": 43}
    found = []
    for k in range(NUM_PROPOSALS):
        element, shift = elements[k % len(elements)], k // len(elements)
        box = {"x": element["x"] - shift, "y": element["y"], "w": element["w"] + shift, "h": element["h"]}
        sure = {"cls_confidence": 0.9, "confidence": round(0.95 - k / 200, 3), "detector": "builtin-detector@2"}
        found.append({**fixed, **box, **sure, "cls": element["cls"]})
    return [{**row, "path": str(inbox / f"{video['name']}.mp4")} for row in found]


@pytest.fixture
def log(tmp_path: Path) -> DecisionLog:
    return DecisionLog(tmp_path / "decisions.jsonl")


@pytest.fixture
def server(rows: list[dict[str, Any]], log: DecisionLog, tmp_path: Path) -> Iterator[Server]:
    lake = build_lake(tmp_path, [{k: v for k, v in row.items() if k != "path"} for row in rows], Path(rows[0]["path"]))
    log.append(Decision(proposal_id(rows[0]), "bo", "accept", rows[0]["cls"], (30, 610, 370, 80), 1.0))
    server = Server(lake.root, log.path)
    yield server
    server.kill()


def press_and_tell(page: Any, k: int, row: dict[str, Any]) -> Told:
    """Press the keys of the k-th decision; returns what they mean: verdict, class, box."""
    x, y, w, h = (row[name] for name in "xywh")
    cls = row["cls"]
    if k % 4 == 1:
        page.keyboard.press("r")
        return "reject", None, None
    if k % 4 == 2:
        for key in ("Shift+ArrowLeft", "Shift+ArrowLeft", "Control+ArrowUp", "Alt+ArrowLeft", "Alt+ArrowDown"):
            page.keyboard.press(key)
        x, y, w, h = x - 2, y - 10, w - 1, h + 1
    if k % 4 == 3:
        page.keyboard.press("c")
        page.keyboard.type("chat")
        cls = page.locator("#class-list [aria-selected=true]").inner_text()
        page.keyboard.press("Enter")
        page.wait_for_function("!document.querySelector('dialog[open]')")
    page.keyboard.press("a")
    return "accept", cls, (x, y, w, h)


def wait_until_decided(page: Any, number: int) -> None:
    text = f"{number} / {NUM_PROPOSALS} decided"
    page.wait_for_function("t => document.getElementById('progress-text').textContent.includes(t)", arg=text)


@pytest.fixture
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        reason = "chromium is not installed (apt install chromium)"
        pytest.fail(reason) if os.environ.get("G2W_CI") else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def watched(page: Any, errors: list[str]) -> Any:
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(20_000)
    return page


def show_undecided(page: Any) -> None:
    page.get_by_label("Show").select_option("unseen")
    page.locator("#filter").blur()


def take_picture(page: Any, path: Path) -> None:
    page.wait_for_function("[...document.images].every(i => i.complete && (i.hidden || i.naturalWidth))")
    page.screenshot(path=str(path))
    assert path.stat().st_size > 50_000


def test_a_hundred_proposals_by_keyboard_while_the_server_dies(
    browser: Any, server: Server, rows: list[dict[str, Any]], log: DecisionLog, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    expected: dict[str, Told] = {}
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1400, "height": 760})
    page = watched(context.new_page(), errors)
    page.goto(server.url)
    page.get_by_label("Your name").fill("ada")
    page.keyboard.press("Enter")
    show_undecided(page)
    expect(page.locator("#votes")).to_contain_text("bo: accepted as player_status, box 30 610 370 80")
    expect(page.locator("#cut")).to_be_visible()
    take_picture(page, Path(os.environ.get("G2W_REVIEW_PICTURE", tmp_path / "review.png")))

    for k, row in enumerate(rows):
        if k in (KILLED_AT, CLOSED_AT):
            server.kill()
        expected[proposal_id(row)] = press_and_tell(page, k, row)
        if k in (KILLED_AT, CLOSED_AT):
            expect(page.locator("#trouble")).to_contain_text("the server does not answer")
            page.keyboard.press("n")
            wait_until_decided(page, k)
        if k == KILLED_AT:
            server.start()
        if k == CLOSED_AT:
            page.close()
            server.start()
            page = watched(context.new_page(), errors)
            page.goto(f"{server.url}/?reviewer=ada")
            show_undecided(page)
        wait_until_decided(page, k + 1)
        if k == 0:
            page.keyboard.press("u")
            wait_until_decided(page, 0)
            page.keyboard.press("a")
            wait_until_decided(page, 1)
    expect(page.locator("#trouble")).to_be_hidden()

    assert errors == []
    content = log.read()
    mine = {proposal: by["ada"] for proposal, by in current(content.decisions).items()}
    assert {key: (d.verdict, d.cls, d.box) for key, d in mine.items()} == expected
    assert len(mine) == NUM_PROPOSALS and not content.torn_lines
    assert sum(d.reviewer == "ada" for d in content.decisions) == NUM_PROPOSALS + 2, (
        "one was taken back and given again"
    )


def test_two_people_with_a_mouse(browser: Any, server: Server, rows: list[dict[str, Any]], log: DecisionLog) -> None:
    from playwright.sync_api import expect

    errors: list[str] = []
    ada, cy = (watched(browser.new_page(viewport={"width": 1400, "height": 760}), errors) for _ in range(2))
    for page, name in ((ada, "ada"), (cy, "cy")):
        page.goto(f"{server.url}/?reviewer={name}")
        expect(page.locator("#class")).to_have_text(rows[1]["cls"])
    spot = cy.locator("#editor .box").bounding_box()
    cy.mouse.move(spot["x"] + 5, spot["y"] + 5)
    cy.mouse.down()
    cy.mouse.move(spot["x"] - 45, spot["y"] - 25, steps=4)
    cy.mouse.up()
    corner = cy.locator("#editor .handle.se").bounding_box()
    cy.mouse.move(corner["x"] + 4, corner["y"] + 4)
    cy.mouse.down()
    cy.mouse.move(corner["x"] + 5000, corner["y"] + 5000)
    cy.mouse.up()
    cy.get_by_role("button", name="Move left").click()
    cy.get_by_role("button", name="Accept").click()
    wait_until_decided(cy, 1)
    (vote,) = (d for d in log.read().decisions if d.reviewer == "cy")
    x, y, w, h = vote.box or (0, 0, 0, 0)
    assert x < rows[1]["x"] - 40 and y < rows[1]["y"] - 20 and (x + w, y + h) == (1280 - 1, 720), "stopped at the edge"

    ada.get_by_label("Show").select_option("all")
    ada.get_by_role("button", name="Reload queue").click()
    ada.keyboard.press("ArrowRight")
    ada.keyboard.press("ArrowLeft")
    expect(ada.locator("#votes")).to_contain_text(f"cy: accepted as {rows[1]['cls']}")
    ada.get_by_role("button", name="Reject").click()
    wait_until_decided(ada, 1)
    ada.get_by_label("Show").select_option("open")
    ada.get_by_role("button", name="Reload queue").click()
    expect(ada.locator("#votes")).to_contain_text("open: 1 for, 1 against")
    assert errors == []
