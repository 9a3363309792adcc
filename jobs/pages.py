"""`g2w preview pairs` and `g2w library browse`: static pages of what lies in the lake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from g2w.lineage.lake import Lake, LakeError, Snapshot
from g2w_assets import settings

if TYPE_CHECKING:
    from g2w.pages.pairs import PairSource

preview_app = typer.Typer(no_args_is_help=True, help="Look at pairs in a browser.")
library_app = typer.Typer(no_args_is_help=True, help="Look at the UI library in a browser.")
console = Console()
Row = dict[str, Any]


@preview_app.command()
def pairs(
    out: Annotated[Path, typer.Option(help="The folder to write.")] = Path("out/pairs"),
    pair: Annotated[list[str] | None, typer.Option(help="Only this pair; may be given several times.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, spread evenly over the snapshot.")] = 24,
) -> None:
    """Write a gallery of rendered pairs, and a player for each: UI, clean and mask side in step, boxes on top."""
    from g2w.pages.pairs import write_pair_pages

    try:
        rendered = _current("pairs/rendered")
        rows = rendered.rows()
        good = [row for row in rows if row["verdict"] == "ok"]
        chosen = _choose(good, pair or [], limit)
        index = write_pair_pages(
            out,
            pair_sources(rendered, chosen),
            snapshot=rendered.path,
            total=len(good),
            refused=[row for row in rows if row["verdict"] != "ok"],
        )
    except (LakeError, OSError) as error:
        raise _fail(str(error)) from error
    console.print(f"{index}: {len(chosen)} of {len(good)} pairs; open it in a browser", soft_wrap=True, highlight=False)


@library_app.command()
def browse(out: Annotated[Path, typer.Option(help="The folder to write.")] = Path("out/library")) -> None:
    """Write a page of all assets of the UI library: filters, search, and each asset in full with its origin."""
    from g2w.pages.library import write_library_page

    try:
        library = _current("ui/library")
        index, count = write_library_page(out, library.local_dir(), snapshot=library.path)
    except (LakeError, OSError) as error:
        raise _fail(str(error)) from error
    console.print(f"{index}: {count} assets; open it in a browser", soft_wrap=True, highlight=False)


def pair_sources(rendered: Snapshot, rows: list[Row]) -> list[PairSource]:
    """Files and recipes of rendered pairs, from the very parents that the snapshot names."""
    from g2w.pages.pairs import PairSource

    lake, parents = rendered.lake, rendered.manifest.parents
    recipes = {
        row["pair_id"]: row
        for part, sha in parents["pairs/recipes"].items()
        for row in lake.by_hash("pairs/recipes", part, sha).rows()
    }
    needed = {row["clip_id"] for row in rows}
    clips: dict[str, Path] = {}
    for part, sha in parents["raw/clips"].items():
        snapshot = lake.by_hash("raw/clips", part, sha)
        clips |= {row["clip_id"]: snapshot.local(row["file"]) for row in snapshot.rows() if row["clip_id"] in needed}
    return [
        PairSource(
            row,
            recipes[row["pair_id"]],
            **{side: rendered.local(row[side]) for side in ("ui", "masks", "boxes")},
            clean=clips[row["clip_id"]],
        )
        for row in rows
    ]


def _current(asset: str) -> Snapshot:
    lake: Lake = _lake()
    head = lake.head(asset, "all")
    if head is None:
        raise LakeError(f"{lake.root} holds no {asset}: materialize it first (g2w demo), or set G2W_LAKE")
    return lake.open(head)


def _lake() -> Lake:
    from resources.lake import LakeResource

    return LakeResource(root=settings.lake_root()).open()


def _choose(rows: list[Row], wanted: list[str], limit: int) -> list[Row]:
    from g2w.pages.pairs import choose_evenly

    known = {str(row["pair_id"]): row for row in rows}
    missing = [name for name in wanted if name not in known]
    if missing:
        raise LakeError(f"no rendered pair is called {', '.join(missing)}; there are {', '.join(sorted(known)[:12])}")
    return [known[name] for name in dict.fromkeys(wanted)] if wanted else choose_evenly(rows, limit)


def _fail(text: str) -> typer.Exit:
    Console(stderr=True).print(f"error: {text}", style="red", highlight=False, markup=False, soft_wrap=True)
    return typer.Exit(2)
