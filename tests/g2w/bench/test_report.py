"""The report: the same bytes twice, nothing from the network, everything escaped, broken controls in plain sight."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from g2w.bench.controls import CONTROLS, write_control
from g2w.bench.report import write_report
from g2w.bench.run import judge_item, judge_reliability, score

GtSet = tuple[Path, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def inputs(gt_set: GtSet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything the report takes, with a remover that is the truth itself and a hostile game name."""
    sets, items = gt_set
    out, verdicts, outputs = tmp_path_factory.mktemp("outputs"), [], {}
    for item in items:
        own = {system: out / f"{item['item_id']}.{system}.mp4" for system in CONTROLS}
        for system, path in own.items():
            write_control(system, item, sets, path)
        own |= {"lite": sets / item["clean_file"], "opencv-inpaint": sets / item["ui_file"]}
        verdicts += judge_item(item, own, sets_dir=sets)
        outputs |= {f"{system}/{item['item_id']}": str(path) for system, path in own.items()}
    return {
        "scores": score(verdicts, replicates=200),
        "verdicts": verdicts,
        "sets_dir": sets,
        "outputs": outputs,
        "items": [{**item, "game": "<script>alert(1)</script>"} for item in items],
        "judges": judge_reliability(items[:1], sets),
        "world": {"actions": [{"score_id": "actions/flow_mse", "value": 1.25, "n": 3, "status": "ok"}], "pilot": []},
        "audit": {
            "nodes": [{"asset": "bench/removal", "partition": "all", "sha256": "ab" * 32, "rows": 3}],
            "sources": [{"sha256": "cd" * 32}],
        },
    }


class Links(HTMLParser):
    """Collects what a page would load, and checks that tags close in order."""

    VOID = ("meta", "img", "br", "link")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID and tag not in ("rect", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "circle"):
            assert self.open.pop() == tag


def test_same_inputs_same_bytes(inputs: dict[str, Any], tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_report(tmp_path / name, **inputs)
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*"))
    assert {path.suffix for path in files} == {".html", ".md", ".webp"}
    assert all((tmp_path / "a" / f).read_bytes() == (tmp_path / "b" / f).read_bytes() for f in files)


def test_page_is_whole_offline_and_escaped(inputs: dict[str, Any], tmp_path: Path) -> None:
    facts = write_report(tmp_path, **inputs)
    html = (tmp_path / facts["path"]).read_text(encoding="utf-8")
    links = Links()
    links.feed(html)
    assert links.open == []
    assert not re.search(r"https?://", html) and "<script" not in html and "&lt;script&gt;" in html
    for link in links.found:
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in html
        else:
            assert (tmp_path / link).is_file(), link
    assert html.count('loading="lazy"') == html.count("<img ")
    assert "ab" * 32 in html and "actions/flow_mse" in html and facts["controls_ok"]
    assert facts["rows"] == 5 and "lite, reaches AAR 100.0" in facts["sentence"]


def test_markdown_has_the_same_figures(inputs: dict[str, Any], tmp_path: Path) -> None:
    facts = write_report(tmp_path, **inputs)
    text = (tmp_path / facts["markdown"]).read_text(encoding="utf-8")
    assert "| lite | mask-free |" in text and "100.0 [100.0, 100.0]" in text
    assert "**Negative controls:** exact" in text and facts["sentence"] in text
    header = next(line for line in text.splitlines() if line.startswith("| system"))
    row = next(line for line in text.splitlines() if line.startswith("| lite"))
    assert header.count("|") == row.count("|")


def test_broken_controls_are_in_plain_sight(inputs: dict[str, Any], tmp_path: Path) -> None:
    scores = [{**r, "value": 7.0} if r["score_id"].endswith("copy-input/aar") else r for r in inputs["scores"]]
    facts = write_report(tmp_path, **{**inputs, "scores": scores})
    assert not facts["controls_ok"]
    assert "✗ broken" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "BROKEN" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_verdicts_of_another_judge_are_named(inputs: dict[str, Any], tmp_path: Path) -> None:
    verdicts = [{**inputs["verdicts"][0], "judge_sha": "ee" * 32}, *inputs["verdicts"][1:]]
    write_report(tmp_path, **{**inputs, "verdicts": verdicts})
    assert "another judge: " + "ee" * 32 in (tmp_path / "report.html").read_text(encoding="utf-8")
