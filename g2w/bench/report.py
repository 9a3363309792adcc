"""The report: one HTML file that works without a network, pictures beside it, and the same summary as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from g2w.bench import report_views as views
from g2w.bench.controls import check_controls
from g2w.bench.judge import JudgeId
from g2w.bench.pixel_judge import PixelJudge
from g2w.bench.report_pictures import make_cards

HTML = "report.html"
MARKDOWN = "report.md"
CARDS_PER_SUITE = 4
Row = Mapping[str, Any]

LIMITS = (
    "The judge compares pixels with a known truth. A plausible picture that differs from the truth counts as an "
    "artifact, so AAR is a strict lower bound; a person would be kinder to an invention that fits.",
    "An element that was recolored or garbled may read as removed with a major artifact. AAR and Clean are not moved "
    "by that, UI is.",
    "One engine and its maps stand for all games here. Figures on other games, fonts and video codecs will differ.",
    "Intervals come from resampling games and then clips. With a handful of clips they are wide, and the letters say "
    "who cannot be told from whom.",
)


def write_report(
    out_dir: str | Path,
    *,
    scores: Sequence[Row],
    verdicts: Sequence[Row],
    items: Sequence[Row],
    sets_dir: str | Path,
    outputs: Mapping[str, str],
    judges: Sequence[Row] = (),
    world: Mapping[str, Sequence[Row]] | None = None,
    audit: Mapping[str, Any] | None = None,
    judge: JudgeId | None = None,
) -> dict[str, Any]:
    """Write `report.html`, `report.md` and `pictures/*.webp`. The same inputs give the same bytes; no clock is read.

    Args:
        out_dir: folder to write to.
        scores: rows of schema `scoring.SCORES`.
        verdicts: rows of schema `judge.VERDICTS`.
        items: rows of the sets.
        sets_dir: folder that holds the sets.
        outputs: "system/item_id" -> video file.
        judges: rows of `designed.judge_reliability`.
        world: title -> rows of any columns; shown as tables.
        audit: {"nodes": [{asset, partition, sha256, rows}], "sources": [...]}, the way back to the footage.
        judge: identity of the judge of the verdicts; the pixel judge if None.

    Returns:
        path and markdown (file names), sentence, rows (systems in all tables) and controls_ok.
    """
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    context = {
        **_score_context(scores, verdicts),
        **_judge_context(judge or PixelJudge().identity(), verdicts, judges),
        "cards": make_cards(out, items, Path(sets_dir), outputs, verdicts, per_suite=CARDS_PER_SUITE),
        "world": [
            {"title": title, "table": views.table_of(rows)} for title, rows in sorted((world or {}).items()) if rows
        ],
        "audit": audit or {"nodes": [], "sources": []},
        "num_items": len(items),
        "num_games": len({item["game"] for item in items}),
        "limits": LIMITS,
    }
    environment = _environment()
    for name in (HTML, MARKDOWN):
        (out / name).write_text(environment.get_template(f"{name}.j2").render(context), encoding="utf-8")
    suites = context["suites"]
    return {
        "path": HTML,
        "markdown": MARKDOWN,
        "sentence": suites[0]["sentence"] if suites else "",
        "rows": sum(len(suite["rows"]) for suite in suites),
        "controls_ok": context["controls_ok"],
    }


def _score_context(scores: Sequence[Row], verdicts: Sequence[Row]) -> dict[str, Any]:
    checks = check_controls(scores)
    return {
        "suites": [
            {
                **views.leaderboard(scores, suite),
                "sentence": views.verdict_sentence(scores, suite),
                "classes": views.class_bars(scores, suite),
            }
            for suite in sorted({row["suite"] for row in verdicts})
        ],
        "overall": views.overall_rows(scores),
        "kind_of": views.kind_of,
        "checks": checks,
        "controls_ok": bool(checks) and all(check["ok"] for check in checks),
        "num_verdicts": len(verdicts),
        "num_errors": sum(row["status"] == "error" for row in verdicts),
    }


def _judge_context(identity: JudgeId, verdicts: Sequence[Row], judges: Sequence[Row]) -> dict[str, Any]:
    return {
        "judge": {**asdict(identity), "canvas": "×".join(map(str, identity.canvas))},
        "judge_sha": identity.sha,
        "foreign_judges": sorted({row["judge_sha"] for row in verdicts if row.get("judge_sha")} - {identity.sha}),
        "reliability": views.reliability_table(judges) if judges else None,
    }


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("g2w.bench", "templates"),
        autoescape=select_autoescape(["html.j2"], default_for_string=True, default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = views.number
    return environment
