"""What the report says, as plain data: leaderboards, class bars, the sentence on top. No HTML here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from g2w.bench.controls import BLACK_BOXES, COPY_INPUT, ORACLE
from g2w.bench.metrics import round_half_up
from g2w.bench.scoring import ALL_SUITES
from g2w.bench.statistics import Comparison, tie_groups

Row = Mapping[str, Any]

KINDS = {
    COPY_INPUT: "control",
    ORACLE: "control",
    BLACK_BOXES: "control",
    "opencv-inpaint": "true masks",
    "oracle-fill-inner": "true masks",
    "lite": "mask-free",
    "diffusion": "mask-free",
}
"""What a system is given; unknown systems are mask-free."""

TITLES = {
    "game2world_gt": "Twins: one episode rendered with and without its HUD",
    "game2world_s": "Synthetic: interface drawn over held-out games",
    "game2world_w": "Wild: footage without a truth",
}
COLUMNS = (
    ("aar", "AAR"),
    ("ui", "UI"),
    ("clean", "Clean"),
    ("bg", "BG"),
    ("track_clean", "Track-Clean"),
    ("uncertain", "Uncertain"),
    ("psnr_inside", "PSNR inside"),
    ("psnr_gain", "Gain"),
)
MEANINGS = {
    "AAR": "artifact-adjusted removal: 1 for a clean removal, ½ with a minor artifact, else 0",
    "UI": "share of elements that are gone, whatever is left in their place",
    "Clean": "share of elements gone without a trace",
    "BG": "background preserved: 1 if untouched, ½ for a minor change",
    "Track-Clean": "share of elements that are clean in every sampled frame",
    "Uncertain": "share of elements the judge could not decide",
    "PSNR inside": "dB to the truth where the interface was",
    "Gain": "dB won over the input, there",
}


def kind_of(system: str) -> str:
    """control, true masks or mask-free."""
    return KINDS.get(system, "mask-free")


def index_scores(scores: Iterable[Row]) -> dict[tuple[str, str, str], Row]:
    """(suite, system, metric) -> row, for rows that are not about one class or a pair."""
    return {(r["suite"], r["system"], r["metric"]): r for r in scores if not r.get("cls") and not r.get("versus")}


def leaderboard(scores: Sequence[Row], suite: str) -> dict[str, Any]:
    """One suite's table, best AAR first: cells with intervals, letters of the groups that cannot be told apart."""
    found = index_scores(scores)
    systems = sorted({s for (other, s, m) in found if other == suite and m == "bg"})
    order = sorted(systems, key=lambda s: (kind_of(s) == "control", -_value(found.get((suite, s, "aar"))), s))
    letters = _letters(scores, suite, [s for s in order if kind_of(s) != "control"])
    rows = []
    for system in order:
        cells = [{"metric": metric, "row": found.get((suite, system, metric))} for metric, _ in COLUMNS]
        base = found[suite, system, "bg"]
        rows.append(
            {
                "system": system,
                "kind": kind_of(system),
                "letters": letters.get(system, ""),
                "cells": cells,
                "aar": found.get((suite, system, "aar")),
                "status": base["status"],
            }
        )
    num_videos = max((row["n"] for (other, _, m), row in found.items() if other == suite and m == "bg"), default=0)
    return {
        "suite": suite,
        "title": TITLES.get(suite, suite),
        "rows": rows,
        "num_videos": num_videos,
        "smallest_p": min((2 / 2 ** r["n"] for r in scores if r["suite"] == suite and r["versus"]), default=None),
        "columns": [{"label": label, "meaning": MEANINGS[label]} for _, label in COLUMNS],
        "comparisons": [r for r in scores if r["suite"] == suite and r["metric"] == "aar_difference"],
    }


def _value(row: Row | None) -> float:
    return float(row["value"]) if row is not None else -1.0


def _letters(scores: Sequence[Row], suite: str, systems: Sequence[str]) -> dict[str, str]:
    comparisons = [
        Comparison(r["system"], r["versus"], r["value"], r["lo"], r["hi"], r["p"], r["p_holm"], r["n"])
        for r in scores
        if r["suite"] == suite and r["metric"] == "aar_difference"
    ]
    compared = {name for c in comparisons for name in (c.first, c.second)}
    groups = tie_groups([s for s in systems if s in compared], comparisons)
    letters: dict[str, str] = {}
    for letter, group in zip("abcdefghijklmnopqrstuvwxyz", groups, strict=False):
        for system in group:
            letters[system] = letters.get(system, "") + letter
    return letters


def class_bars(scores: Sequence[Row], suite: str) -> dict[str, Any]:
    """AAR by class of every system that is not a control, most frequent class first."""
    rows = [
        r for r in scores if r["suite"] == suite and r["metric"] == "class_aar" and kind_of(r["system"]) != "control"
    ]
    systems = sorted({r["system"] for r in rows}, key=lambda s: (kind_of(s) != "mask-free", s))
    counts = {r["cls"]: r["n"] for r in rows}
    found = {(r["cls"], r["system"]): r for r in rows}
    classes = [
        {"cls": cls, "n": counts[cls], "bars": [found.get((cls, system)) for system in systems]}
        for cls in sorted(counts, key=lambda c: (-counts[c], c))
    ]
    return {"systems": systems, "classes": classes}


def verdict_sentence(scores: Sequence[Row], suite: str) -> str:
    """What this run found, in words; says so when nothing mask-free was judged."""
    found = index_scores(scores)
    ours = [s for (other, s, m) in found if other == suite and m == "aar" and kind_of(s) == "mask-free"]
    if not ours:
        return "No mask-free remover was judged on this set."
    best = max(sorted(ours), key=lambda s: _value(found[suite, s, "aar"]))
    aar, bg = found[suite, best, "aar"], found.get((suite, best, "bg"))
    text = f"The best mask-free remover, {best}, reaches AAR {number(aar['value'])} (95 % interval {_span(aar)})"
    text += f" and keeps {number(bg['value'])} of the background" if bg else ""
    masked = found.get((suite, "opencv-inpaint", "aar"))
    if masked:
        text += f"; OpenCV inpainting that is given the true masks gets {number(masked['value'])}"
    return text + f". {aar['n']} clips."


def overall_rows(scores: Sequence[Row]) -> list[Row]:
    """Overall of every system, controls last."""
    rows = [r for r in scores if r["suite"] == ALL_SUITES and r["metric"] == "overall"]
    return sorted(rows, key=lambda r: (kind_of(r["system"]) == "control", -r["value"], r["system"]))


def _span(row: Row) -> str:
    return f"{number(row['lo'])} to {number(row['hi'])}"


def number(value: float | None, digits: int = 1) -> str:
    """A figure as printed: rounded half up, a real minus sign, a dash for none."""
    if value is None:
        return "–"
    return f"{round_half_up(value, digits):.{digits}f}".replace("-", "−")


def reliability_table(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows of `designed.judge_reliability`, one line per kind of designed output."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    kinds: dict[str, dict[str, Any]] = {}
    for row in rows:
        line = kinds.setdefault(row["kind"], {"kind": row["kind"], "n": row["n"]})
        line[row["metric"]] = float(row["value"])
    return table_of(list(kinds.values()), ["kind", *metrics, "n"])


def table_of(rows: Sequence[Row], columns: Sequence[str] | None = None) -> dict[str, Any]:
    """Any rows as a table of text: columns that are empty everywhere are left out."""
    names = list(columns or dict.fromkeys(name for row in rows for name in row))
    names = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
    return {
        "columns": [name.replace("_", " ") for name in names],
        "rows": [[_cell(row.get(name)) for name in names] for row in rows],
    }


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    return str(value)
