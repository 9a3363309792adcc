"""What `g2w demo` prints: the plan before, the table after."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from g2w.lineage.lake import Lake
from g2w_assets.definitions import ASSETS, defs
from g2w_assets.pending import plan_snapshots
from jobs.demo import DemoResult


def _lake() -> Lake:
    return (defs.resources or {})["lake"].open()


def print_plan(console: Console) -> None:
    """Which snapshots a run would make, and which are there already; the embedded footage is not looked at."""
    lake, plan = _lake(), (defs.resources or {})["plan"].load()
    table = Table("asset", "of", "snapshot", "state", title="g2w demo, in this order")
    for each in plan_snapshots(ASSETS, lake, plan):
        state = "done" if each.found else "to be made" if each.snapshot else "to be made, after its parents"
        table.add_row(each.asset, each.partition, each.snapshot or "", state)
    console.print(table)
    if not lake.batches():
        console.print("No batch is sealed yet: the embedded footage is recorded first.")


def print_summary(console: Console, result: DemoResult) -> None:
    """One line per asset, then the leaderboard and the way to the report."""
    lake = _lake()
    table = Table("asset", "rows", "rejected", "MB", "CPU s", "wall s", title="the graph")
    for asset in ASSETS:
        key = "/".join(asset.key.path)
        for partition in lake.batches() if asset.partitions_def else ["all"]:
            head = lake.head(key, partition)
            if head is None:
                continue
            snapshot = lake.open(head)
            facts, m = snapshot.run_facts, snapshot.manifest
            name = key if partition == "all" else f"{key} [{partition}]"
            cells = (
                m.rows,
                m.summary["rejected"],
                f"{m.size_bytes / 1e6:.1f}",
                f"{facts.get('seconds_cpu', 0):.1f}",
                f"{facts.get('seconds_wall', 0):.1f}",
            )
            table.add_row(escape(name), *map(str, cells))
    console.print(table)
    _print_scores(console, lake)
    console.print(f"\n[bold]report[/] {result.report}", highlight=False, soft_wrap=True)
    console.print(f"done in {result.seconds:.0f} s. `g2w ui` opens the graph, `g2w audit SCORE` explains a score.")


def _print_scores(console: Console, lake: Lake) -> None:
    head = lake.head("bench/removal", "all")
    if head is None:
        return
    rows = [row for row in lake.open(head).rows() if row["metric"] in ("aar", "ui", "bg", "psnr_gain")]
    suites = sorted({row["suite"] for row in rows})
    for suite in suites:
        table = Table(Column("system", no_wrap=True), "AAR", "UI", "BG", "PSNR gain", title=suite)
        chosen = {(r["system"], r["metric"]): r for r in rows if r["suite"] == suite}
        for system in dict.fromkeys(r["system"] for r in rows if r["suite"] == suite):
            table.add_row(system, *(_cell(chosen.get((system, m))) for m in ("aar", "ui", "bg", "psnr_gain")))
        console.print(table)


def _cell(row: dict[str, object] | None) -> str:
    if row is None or row["value"] is None:
        return "-"
    text = f"{float(str(row['value'])):.1f}"
    if row.get("lo") is not None and row.get("hi") is not None:
        text += f" ({float(str(row['lo'])):.1f} to {float(str(row['hi'])):.1f})"
    return text
