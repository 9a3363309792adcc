"""The pages in real Chromium, opened from the file system: filters, playing, stepping, what the canvas shows."""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from typer.testing import CliRunner

from g2w.lineage.lake import Lake
from g2w.pages.library import write_library_page
from g2w.ui.library import ASSET_SCHEMA, TABLE, read_library
from g2w.video.masks import iter_masks
from jobs.cli import app

pytestmark = pytest.mark.browser
CHROMIUM = shutil.which("chromium")
STILL = "#stage[data-state=still]"


@pytest.fixture
def page() -> Iterator[Any]:
    """A page that fails the test if its scripts do, or if it asks the network for anything."""
    if CHROMIUM is None:
        reason = "chromium is not installed (apt install chromium)"
        pytest.fail(reason) if os.environ.get("G2W_CI") else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: problems.append(request.url) if request.url.startswith("http") else None)
        yield page
        browser.close()
    assert problems == []


def make(lake: str, monkeypatch: pytest.MonkeyPatch, *command: str) -> None:
    monkeypatch.setenv("G2W_LAKE", lake)
    result = CliRunner().invoke(app, list(command))
    assert result.exit_code == 0, result.output


@pytest.fixture
def site(page_lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make(page_lake.root, monkeypatch, "preview", "pairs", "--out", str(tmp_path))
    return tmp_path


def rendered(lake: Lake) -> tuple[Any, dict[str, Any]]:
    head = lake.head("pairs/rendered", "all")
    assert head is not None
    snapshot = lake.open(head)
    return snapshot, snapshot.rows()[0]


def picture(page: Any) -> np.ndarray:
    """The canvas as it is seen, at 1280x720: scripts may not read the pixels of local videos."""
    shot = Image.open(io.BytesIO(page.locator("#stage").screenshot())).convert("RGB")
    return np.asarray(shot.resize((1280, 720), Image.Resampling.BILINEAR)).astype(int)


def frame_of(page: Any) -> int:
    return int(page.locator("#counter").inner_text().split("/")[0])


def test_the_gallery_filters(site: Path, page: Any) -> None:
    page.goto((site / "index.html").as_uri())
    cards = page.locator("#gallery > li:visible")
    assert cards.count() == 2 and page.title() == "Rendered pairs"
    page.select_option("#split", "bench")
    assert cards.count() == 1 and "control" in cards.first.inner_text()
    page.reload()
    assert cards.count() == 1, "the choice lives in the address"
    page.select_option("#kind", "with interface")
    assert cards.count() == 0 and page.locator("#empty").is_visible()
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("document.getElementById('count').textContent === '2 shown'")
    page.select_option("#classes", index=1)
    assert cards.count() == 1
    cards.first.get_by_role("link").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(STILL)
    assert "hacked" in page.locator("h1").inner_text() and page.title() != "hacked"


def test_frames_and_boxes_are_those_of_the_pair(site: Path, page: Any, page_lake: Lake) -> None:
    snapshot, row = rendered(page_lake)
    boxes = pq.read_table(snapshot.local(row["boxes"])).to_pylist()
    empty = np.stack(list(iter_masks(snapshot.local(row["masks"])))).max(axis=0) == 0
    page.goto((site / f"pair-{row['pair_id']}.html").as_uri())
    page.wait_for_selector(STILL)
    page.keyboard.press("b")
    page.keyboard.press("u")
    page.keyboard.press("c")
    for frame, keys in (
        (0, []),
        (3, ["ArrowRight"] * 3),
        (13, ["Shift+ArrowRight"]),
        (12, ["ArrowLeft"]),
        (19, ["End"]),
    ):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_function(f"document.getElementById('counter').textContent.startsWith('{frame} /')")
        page.wait_for_selector(STILL)
        for side, other in (("c", "u"), ("u", "c")):
            # the world is flat, and its brightness says which frame of the clip is shown
            seen = np.median(picture(page)[empty])
            assert round((seen - 40) / 6) == frame + row["start_frame"], (frame, side, seen)
            page.keyboard.press(side)
            page.keyboard.press(other)
        for box in (box for box in boxes if box["frame_index"] == frame):
            cell = page.locator(f"[data-element='{box['element_id']}']").inner_text()
            assert cell == (", ".join(str(box[key]) for key in "xywh") if box["visible"] else "–")
    page.keyboard.press("Home")
    page.wait_for_function("document.getElementById('counter').textContent.startsWith('0 /')")


def test_switches_change_the_picture(site: Path, page: Any, page_lake: Lake) -> None:
    snapshot, row = rendered(page_lake)
    mask = next(iter_masks(snapshot.local(row["masks"]))).astype(int)
    shown = [
        b for b in pq.read_table(snapshot.local(row["boxes"])).to_pylist() if b["frame_index"] == 0 and b["visible"]
    ]
    page.goto((site / f"pair-{row['pair_id']}.html").as_uri())
    page.wait_for_selector(STILL)
    boxed = picture(page)
    page.keyboard.press("b")
    ui = picture(page)
    for box in shown:
        x, y, w, h = (box[key] for key in "xywh")
        changed = np.abs(boxed - ui).sum(axis=2)[max(0, y - 3) : y + h + 3, max(0, x - 3) : x + w + 3]
        assert (changed.max(axis=0) > 40).mean() > 0.9 and (changed.max(axis=1) > 40).mean() > 0.9
    page.locator("[data-side=mask]").click()
    tinted = picture(page)
    assert page.locator("[data-side=mask]").get_attribute("aria-pressed") == "true"
    strength = 0.75 * mask[..., None] / 255
    wanted = ui * (1 - strength) + strength * np.array([255, 45, 120])
    inner = np.abs(mask - np.roll(mask, 2, 0)) + np.abs(mask - np.roll(mask, 2, 1)) == 0
    assert np.median(np.abs(tinted - wanted)[(mask > 200) & inner]) < 12
    assert np.abs(tinted - ui)[mask == 0].mean() < 1
    page.keyboard.press("m")
    page.keyboard.press("c")
    page.locator("#split").fill("100")
    clean = picture(page)
    assert np.abs(clean - ui)[mask > 200].mean() > 10 and np.ptp(clean[20:700, 20:1250]) < 12
    page.keyboard.press("u")
    page.keyboard.press("c")
    assert picture(page)[20:700, 20:1250].max() < 4, "with both sides off the stage is black"


def test_playing_moves_on_and_starts_again(site: Path, page: Any, page_lake: Lake) -> None:
    _, row = rendered(page_lake)
    page.goto((site / f"pair-{row['pair_id']}.html").as_uri())
    page.wait_for_selector(STILL)
    page.keyboard.press("End")
    page.wait_for_function("document.getElementById('counter').textContent.startsWith('19 /')")
    page.keyboard.press("Space")
    page.wait_for_function("/^([2-9]|1[0-7]) /.test(document.getElementById('counter').textContent)")
    page.wait_for_function("document.getElementById('stage').dataset.state === 'playing'")
    page.keyboard.press("Space")
    page.wait_for_selector(STILL)
    frame = frame_of(page)
    times = page.evaluate("['ui', 'mask', 'clean'].map((id) => document.getElementById(id).currentTime * 30 - 0.5)")
    assert np.allclose(times, [frame, frame, frame + row["start_frame"]], atol=0.02)
    page.locator("#scrub").fill("7")
    page.wait_for_function("document.getElementById('counter').textContent.startsWith('7 /')")
    page.wait_for_selector(STILL)
    assert page.locator("#play").inner_text().startswith("Play")


def test_the_library_page(page_lake: Lake, tmp_path: Path, page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make(page_lake.root, monkeypatch, "library", "browse", "--out", str(tmp_path))
    page.goto((tmp_path / "index.html").as_uri())
    cards, count = page.locator(".asset"), page.locator("#count")
    everything = int(count.inner_text().split()[0])
    page.locator("label.class", has_text="map radar").click()
    radars = int(count.inner_text().split()[0])
    assert 1 < radars < everything and {text.split("\n")[0] for text in cards.all_inner_texts()} == {"map radar"}
    assert page.locator("[data-count=map_radar]").inner_text() == str(radars)
    page.select_option("[name=origin]", "cut: MAP01")
    assert count.inner_text() == "1 shown"
    cards.first.focus()
    page.keyboard.press("Enter")
    facts = page.locator("#facts").inner_text()
    assert "reviewers: ada" in facts and "unknown" in facts and "hacked" in facts and page.title() == "UI library"
    assert "% of the screen" in facts and facts.count("screen") == 2, "extent and anchor"
    assert "320, 180" in page.locator("#place").inner_text()
    left = page.evaluate(
        "document.querySelector('#screen i').offsetLeft / document.querySelector('#screen').clientWidth"
    )
    assert left == pytest.approx(320 / 1280, abs=0.01)
    states = page.locator("#states button")
    assert states.count() > 1
    first = page.locator("#large").screenshot()
    states.last.click()
    assert page.locator("#large").screenshot() != first
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function(f"document.getElementById('count').textContent === '{everything} shown'")
    page.select_option("[name=verdict]", "rejected")
    assert "too_small" in cards.first.inner_text() and count.inner_text() == "1 shown"
    page.locator(".licences summary").click()
    assert "cut from MAP01" in page.locator(".licences").inner_text()
    page.locator("[name=text]").fill("nothing has this name")
    assert page.locator("#empty").is_visible() and cards.count() == 0


def test_five_thousand_assets_stay_fluid(page_lake: Lake, tmp_path: Path, page: Any) -> None:
    head = page_lake.head("ui/library", "all")
    assert head is not None
    source = page_lake.open(head).local_dir()
    rows = [row for row in read_library(source) if row["path"]]
    many = [{**rows[k % len(rows)], "asset_id": f"{k:016x}"} for k in range(5_000)]
    (tmp_path / "library").mkdir()
    pq.write_table(pa.Table.from_pylist(many, schema=ASSET_SCHEMA), tmp_path / "library" / TABLE)
    (tmp_path / "library" / "png").symlink_to(source / "png")
    index, _ = write_library_page(tmp_path / "site", tmp_path / "library", snapshot="s")
    page.goto(index.as_uri())
    cards = page.locator(".asset")
    total = int(re.findall(r"\d+", page.locator("#count").inner_text())[0])
    assert total > 4_000 and 0 < cards.count() < 100
    took = page.evaluate(
        """async () => {
          const start = performance.now();
          for (let k = 1; k <= 40; k++) {
            scrollTo(0, (document.body.scrollHeight * k) / 40);
            await new Promise(requestAnimationFrame);
            await new Promise(requestAnimationFrame);
          }
          return (performance.now() - start) / 40;
        }"""
    )
    assert took < 250, f"{took:.0f} ms for one jump"
    assert cards.count() < 100
    page.evaluate("scrollTo(0, 0)")
    page.locator("[data-index='0']").focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.index") == str(total - 1)
    assert page.locator(":focus").is_visible()


@pytest.mark.skipif("G2W_PAGE_PICTURES" not in os.environ, reason="pictures for the docs are taken on request")
def test_pictures_for_the_docs(tmp_path: Path, page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """G2W_PAGE_PICTURES names the folder; the lake is that of G2W_LAKE, after a demo."""
    lake, folder = os.environ["G2W_LAKE"], Path(os.environ["G2W_PAGE_PICTURES"])
    make(lake, monkeypatch, "preview", "pairs", "--out", str(tmp_path / "pairs"))
    make(lake, monkeypatch, "library", "browse", "--out", str(tmp_path / "library"))
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto((tmp_path / "pairs" / "index.html").as_uri())
    page.locator(".card").first.click()
    page.wait_for_selector(STILL)
    for key in ("c", "m", *["Shift+ArrowRight"] * 6):
        page.keyboard.press(key)
    page.wait_for_function("document.getElementById('counter').textContent.startsWith('60 /')")
    page.wait_for_selector(STILL)
    assert save(page, folder / "preview_pairs.png") < 400_000
    page.goto((tmp_path / "library" / "index.html").as_uri())
    page.select_option("[name=sort]", "theme")
    page.wait_for_timeout(500)
    assert save(page, folder / "library.png") < 400_000


def save(page: Any, path: Path) -> int:
    """A screenshot of few colors, small enough to live in the repository; returns its bytes."""
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(256, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)
    return path.stat().st_size
