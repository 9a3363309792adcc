"""`g2w audit`: find the table that holds a score, walk its chain, print it as a tree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.tree import Tree

from g2w.lineage.audit import Audit, Node, audit
from g2w.lineage.lake import Lake, LakeError, Snapshot
from g2w.lineage.manifest import ManifestError
from g2w_assets import settings
from resources.lake import LakeResource

SCORE_ASSETS = ("bench/removal", "bench/judges", "bench/pilot", "bench/actions")


class AuditError(Exception):
    """The score cannot be found; the message lists what can."""


@dataclass(frozen=True)
class ScoreAudit:
    """A score and the audit of the snapshot that holds it."""

    score: dict[str, Any]
    result: Audit


def audit_score(score_id: str, *, check_files: bool = True) -> ScoreAudit:
    """Audit one score of the current tables, or of the snapshot named after an @.

    Raises:
        AuditError: if no table holds the score.
    """
    lake = LakeResource(root=settings.lake_root()).open()
    wanted, _, snapshot = score_id.partition("@")
    known: list[str] = []
    for table in _tables(lake, snapshot):
        for row in table.rows():
            known.append(row["score_id"])
            if row["score_id"] == wanted:
                return ScoreAudit(row, audit(lake, table, check_files=check_files))
    if not known:
        raise AuditError(f"no score table lies in {lake.root}; run `g2w demo` first")
    shown = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    raise AuditError(f"no score is called {wanted!r}; known: {shown}")


def _tables(lake: Lake, snapshot: str) -> Iterator[Snapshot]:
    for asset in SCORE_ASSETS:
        try:
            if snapshot:
                found = lake.find(asset, "all", snapshot)
                if found is not None:
                    yield found
            else:
                head = lake.head(asset, "all")
                if head is not None:
                    yield lake.open(head)
        except (LakeError, ManifestError) as error:
            raise AuditError(f"{asset}: {error}") from error


def print_audit(console: Console, found: ScoreAudit, *, as_json: bool) -> None:
    """Print the chain for a person, or everything as JSON."""
    result = found.result
    if as_json:
        nodes = [
            {**{k: v for k, v in vars(n).items() if k != "parents"}, "parents": [p.manifest_sha256 for p in n.parents]}
            for n in result.nodes()
        ]
        problems = [vars(problem) for problem in result.problems]
        print(
            json.dumps(
                {
                    "score": found.score,
                    "ok": result.ok,
                    "problems": problems,
                    "nodes": nodes,
                    "sources": result.sources,
                },
                indent=2,
            )
        )
        return
    console.print(f"[bold]{found.score['score_id']}[/] = {found.score['value']}", highlight=False)
    console.print(_tree(result.root, set()))
    console.print("[bold]source videos[/]")
    for source in result.sources:
        console.print(f"  {source['batch']}  {source['sha256']}  {source['name']}", highlight=False)
    if result.ok:
        count = sum(1 for _ in result.nodes())
        console.print(
            f"[green]intact[/]: {count} snapshots and {len(result.sources)} source videos, every byte as recorded"
        )
    for problem in result.problems:
        console.print(f"[bold red]broken[/] {problem.where}: {problem.what}", highlight=False)


def _tree(node: Node, seen: set[str], tree: Tree | None = None) -> Tree:
    label = f"{node.asset} [{node.partition}] {node.manifest_sha256[:16]} ({node.rows} rows, {node.num_files} files)"
    git = node.run_facts.get("git")
    if isinstance(git, dict) and git.get("commit"):
        label += f" code {str(git['commit'])[:10]}" + (" [yellow]dirty[/]" if git.get("dirty") else "")
    branch = Tree(label) if tree is None else tree.add(label)
    if node.manifest_sha256 in seen:
        if node.parents:
            branch.add("(shown above)")
        return branch
    seen.add(node.manifest_sha256)
    for parent in node.parents:
        _tree(parent, seen, branch)
    return branch
