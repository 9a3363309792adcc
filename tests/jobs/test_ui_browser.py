"""The Dagster UI in real Chromium: all groups are there, one asset is materialized by hand, a picture is taken."""

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

import numpy as np
import pytest

from g2w.lineage.batch import Batch, describe_sources
from g2w.lineage.lake import Lake
from g2w.video.write import write_video

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
GROUPS = ("raw", "corpus", "ui", "pairs", "cleaner", "cleaned", "world", "bench")
CHROMIUM = shutil.which("chromium")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Lake]]:
    """A Dagster web server over a lake with one sealed batch of one short video."""
    home, lake = tmp_path / "home", Lake(str(tmp_path / "lake"))
    home.mkdir()
    shutil.copy(ROOT / "dagster_home" / "dagster.yaml", home)
    frames = np.random.default_rng(0).integers(0, 255, (45, 180, 320, 3), dtype=np.uint8)
    write_video(tmp_path / "inbox" / "noise.mp4", frames)
    lake.seal(Batch("b00001", describe_sources([tmp_path / "inbox" / "noise.mp4"])))
    environment = {**os.environ, "DAGSTER_HOME": str(home), "G2W_LAKE": lake.root}
    code = "import dagster as dg; dg.DagsterInstance.get().add_dynamic_partitions('batch', ['b00001'])"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "dagster",
        "dev",
        "-m",
        "g2w_assets.definitions",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    log = open(tmp_path / "dev.log", "wb")  # noqa: SIM115  (the server writes to it)
    # Its own group, so that all of its five processes end with it.
    server = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, stdout=log, stderr=log)
    try:
        _wait_for(f"http://127.0.0.1:{port}/server_info", server, tmp_path / "dev.log")
        yield f"http://127.0.0.1:{port}", lake
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
        log.close()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"no web server at {url}: {log.read_text()[-2000:]}")


def test_a_person_sees_every_group_and_materializes_an_asset(site: tuple[str, Lake], tmp_path: Path) -> None:
    if CHROMIUM is None:
        reason = "chromium is not installed (apt install chromium)"
        pytest.fail(reason) if os.environ.get("G2W_CI") else pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    url, lake = site
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 2300, "height": 1500})
        page.set_default_timeout(60_000)
        page.goto(f"{url}/asset-groups")
        for group in GROUPS:
            expect(page.get_by_text(group, exact=True).first).to_be_visible()
        page.keyboard.press("Alt+e")
        expect(page.get_by_text("report", exact=True).first).to_be_visible()
        page.wait_for_timeout(1_500)
        picture = Path(os.environ.get("G2W_GRAPH_PICTURE", tmp_path / "graph.png"))
        page.screenshot(path=str(picture))
        assert picture.stat().st_size > 50_000

        page.goto(f"{url}/assets/raw/videos")
        page.get_by_role("button", name="Materialize").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("All", exact=True).click()
        dialog.get_by_role("button", name="Launch").click()
        deadline = time.monotonic() + 120
        while lake.head("raw/videos", "b00001") is None and time.monotonic() < deadline:
            page.wait_for_timeout(1_000)
        browser.close()
    head = lake.head("raw/videos", "b00001")
    assert head is not None, "the click in the browser must have materialized raw/videos"
    (row,) = lake.open(head).rows()
    assert row["num_frames"] == 45
