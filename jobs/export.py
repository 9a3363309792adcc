"""`g2w export`: what the lake holds, in the formats that trainers read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from g2w.lineage.lake import Lake
from g2w_assets import settings

app = typer.Typer(no_args_is_help=True, help="What the lake holds, in the formats that trainers read.")
console = Console()


@app.callback()
def main() -> None:
    """What the lake holds, in the formats that trainers read."""


@app.command()
def pairs(
    out: Annotated[Path, typer.Argument(help="A folder for the shards.")],
    split: Annotated[str, typer.Option(help="train, bench or all.")] = "all",
    shard_mb: Annotated[int, typer.Option(min=1, help="A shard is closed before it grows beyond this.")] = 256,
    with_clips: Annotated[bool, typer.Option("--with-clips", help="Put the clean clips in, as they are.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and stop.")] = False,
) -> None:
    """Rendered pairs as WebDataset shards; the clean side is a reference to its clip unless asked for."""
    from g2w.synth.tar import KINDS, write_shards
    from resources.lake import LakeResource

    if split not in ("train", "bench", "all"):
        raise _fail(f"unknown split {split!r}; choose train, bench or all")
    lake = LakeResource(root=settings.lake_root()).open()
    rendered, recipes = lake.head("pairs/rendered", "all"), lake.head("pairs/recipes", "all")
    if rendered is None or recipes is None:
        raise _fail("there are no rendered pairs: materialize pairs/rendered first (g2w demo)")
    snapshot = lake.open(rendered)
    rows = [row for row in snapshot.rows() if row["verdict"] == "ok" and split in (row["split"], "all")]
    if not rows:
        raise _fail(f"no rendered pair belongs to split {split}")
    if any(row.get(kind) is None for row in rows for kind in KINDS):
        raise _fail("pairs/rendered was made by an older version, with masks in another form: materialize it again")
    folder, clips = snapshot.local_dir(), _clips(lake) if with_clips else None
    if dry_run:
        size = sum((folder / row[kind]).stat().st_size for row in rows for kind in KINDS)
        size += sum(Path(clips[row["clip_id"]]).stat().st_size for row in rows) if clips else 0
        console.print(f"{len(rows)} pairs, {size / 2**20:.0f} MiB, would be written to {out}", soft_wrap=True)
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("pairs", total=len(rows))
        written = write_shards(
            rows,
            {row["pair_id"]: row for row in lake.open(recipes).rows()},
            folder,
            out,
            shard_bytes=shard_mb * 2**20,
            clips=clips,
            progress=lambda done, total: bar.update(task, completed=done),
        )
    console.print(f"{out}: {len(written)} pairs in {len({row['shard'] for row in written})} shards", soft_wrap=True)


def _clips(lake: Lake) -> dict[str, Path]:
    """clip_id -> file of every accepted clip."""
    found: dict[str, Path] = {}
    for batch in lake.batches():
        head = lake.head("raw/clips", batch)
        if head is not None:
            clips = lake.open(head)
            rows: list[dict[str, Any]] = [row for row in clips.rows() if row["verdict"] == "ok"]
            found |= {row["clip_id"]: clips.local_dir() / row["file"] for row in rows}
    return found


def _fail(text: str) -> typer.Exit:
    Console(stderr=True).print(f"error: {text}", style="red", highlight=False, markup=False, soft_wrap=True)
    return typer.Exit(2)
