"""`g2w preview pairs` and `g2w library browse` from the outside."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from g2w.lineage.lake import Lake
from g2w.video.read import read_frames
from jobs.cli import app

HOSTILE = "</script><script>document.title='hacked'</script>"


@pytest.fixture(autouse=True)
def lake(page_lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Lake:
    monkeypatch.setenv("G2W_LAKE", page_lake.root)
    return page_lake


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


def test_pages_of_pairs(lake: Lake, tmp_path: Path) -> None:
    before = _bytes_of(Path(lake.root))
    out = tmp_path / "site"
    assert "2 of 2 pairs" in run("preview", "pairs", "--out", str(out))
    head = lake.head("pairs/rendered", "all")
    assert head is not None
    rendered = lake.open(head)
    train, bench = rendered.rows()[:2]
    gallery = (out / "index.html").read_text()
    assert "crashed" in gallery and rendered.path in gallery
    page = (out / f"pair-{train['pair_id']}.html").read_text()
    assert train["ui_sha256"] in page and f"frames {train['start_frame']} to" in page
    assert "a control" in (out / f"pair-{bench['pair_id']}.html").read_text()
    for text in (gallery, page):
        assert HOSTILE not in text and "hacked" in text
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
        for name in re.findall(r'(?:src|href)="([^"#]+)"', text):
            assert (out / name).is_file(), name
    media = out / "media"
    assert (media / f"pair-{train['pair_id']}.ui.mp4").samefile(rendered.local(train["ui"]))
    masks = read_frames(media / f"pair-{train['pair_id']}.mask.mp4")
    assert len(masks) == train["num_frames"] and masks.max() > 200
    # again into the same folder: links are replaced, never written through
    run("preview", "pairs", "--out", str(out), "--pair", train["pair_id"])
    shutil.rmtree(out)
    assert _bytes_of(Path(lake.root)) == before


def test_the_same_lake_gives_the_same_pages(lake: Lake, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run("preview", "pairs", "--out", str(tmp_path / name / "pairs"), "--limit", "1")
        run("library", "browse", "--out", str(tmp_path / name / "library"))
    first, second = _bytes_of(tmp_path / "one"), _bytes_of(tmp_path / "two")
    assert first == second and len(first) > 60
    assert sum(name.startswith("pairs/pair-") for name in first) == 1


def test_page_of_the_library(lake: Lake, tmp_path: Path) -> None:
    assert "assets; open it in a browser" in run("library", "browse", "--out", str(tmp_path))
    text = (tmp_path / "index.html").read_text()
    assert HOSTILE not in text and "http" not in text
    found = re.search(r'<script type="application/json" id="table">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    table = json.loads(found[1])
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    cut = next(row for row in rows if row["asset_id"] == HOSTILE)
    assert (cut["origin"], cut["x"], table["texts"][cut["accepted_by"]]) == ("cut: MAP01", 320, "reviewers: ada")
    assert {row["verdict"] for row in rows} == {"accepted", "needs_review", "rejected"}
    assert all((tmp_path / row["file"]).is_file() for row in rows if row["file"])
    assert [row["reason"] for row in rows if not row["file"]] == ["too_small"]


def test_what_is_not_there_is_said(lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no rendered pair is called nonesuch" in run("preview", "pairs", "--pair", "nonesuch", code=2)
    monkeypatch.setenv("G2W_LAKE", str(tmp_path / "empty"))
    for command, asset in ((("preview", "pairs"), "pairs/rendered"), (("library", "browse"), "ui/library")):
        text = run(*command, "--out", str(tmp_path / "out"), code=2)
        assert f"holds no {asset}" in text and "g2w demo" in text
    assert not (tmp_path / "out").exists()


def _bytes_of(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
