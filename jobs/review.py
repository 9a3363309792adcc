"""`g2w review`: proposals out to an annotation tool, people's decisions back, and where the votes stand."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.console import Console
from rich.table import Table

from g2w.ui.review.decisions import DecisionLog, ReviewError, proposal_id
from g2w.ui.review.formats import (
    FORMATS,
    frame_of,
    from_coco,
    from_label_studio,
    image_name,
    label_studio_view,
    to_coco,
    to_label_studio,
)
from g2w_assets import settings
from jobs.review_page.proposals import StaleProposals, current_proposals

app = typer.Typer(no_args_is_help=True, help="People decide which proposals become assets.")
console = Console()
Format = Annotated[str, typer.Option("--format", help="coco or label-studio.")]


@app.command()
def export(
    out: Annotated[Path, typer.Argument(help="A folder: pictures, and the file for the annotation tool.")],
    format: Format = "coco",
    open_only: Annotated[bool, typer.Option("--open", help="Only what has no final vote yet.")] = False,
) -> None:
    """Write the frames that show proposals, with their boxes as COCO or Label Studio annotations."""
    _check(format)
    rows = _proposals()
    if open_only:
        done = {key for key, each in _resolutions().items() if each.state != "open"}
        rows = [row for row in rows if proposal_id(row) not in done]
    if not rows:
        raise _fail("there are no proposals to review: materialize ui/proposals first (g2w demo), or all are decided")
    written = write_export(rows, out, format)
    console.print(
        f"{written}: {len(rows)} proposals; bring it back with `g2w review import FILE --reviewer NAME`", soft_wrap=True
    )


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="What the annotation tool exported.")],
    reviewer: Annotated[str, typer.Option(help="Who decided; recorded in the library.")],
    format: Format = "coco",
) -> None:
    """Record a reviewer's annotations as decisions. What cannot be used is listed with its reason, and nothing is lost."""

    _check(format)
    try:
        data = json.loads(file.read_bytes())
        read = from_coco if format == "coco" else from_label_studio
        found = read(data, _proposals(), reviewer, time.time())
    except (OSError, ValueError) as error:
        # ReviewError and broken JSON are both ValueErrors, and both say what is wrong with the file.
        raise _fail(f"{file}: {error}") from error
    log = DecisionLog(settings.review_log())
    try:
        for decision in found.decisions:
            log.append(decision)
    except (OSError, ReviewError) as error:
        raise _fail(f"{log.path}: {error}") from error
    counts = Counter(decision.verdict for decision in found.decisions)
    console.print(
        f"{reviewer}: {counts['accept']} accepted, {counts['reject']} rejected, recorded in {log.path}", soft_wrap=True
    )
    for where, reason in found.refused:
        console.print(f"not used: {where}: {reason}", markup=False)
    if found.refused:
        raise typer.Exit(1)


@app.command()
def status(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """How many proposals are decided, what is open and why, and how far the reviewers agree."""
    from g2w.ui.review.votes import agreement

    rows, resolutions = _proposals(), _resolutions()
    content = DecisionLog(settings.review_log()).read()
    states = Counter(
        resolutions[proposal_id(row)].state if proposal_id(row) in resolutions else "waiting" for row in rows
    )
    pairs = agreement(content.decisions)
    gone = sorted(set(resolutions) - {proposal_id(row) for row in rows})
    if as_json:
        pair_rows = [vars(pair) for pair in pairs]
        print(json.dumps({"proposals": states, "agreement": pair_rows, "torn_lines": content.torn_lines, "gone": gone}))
        return
    table = Table("accepted", "rejected", "open", "waiting", title=f"{len(rows)} proposals")
    table.add_row(*(str(states[name]) for name in ("accepted", "rejected", "open", "waiting")))
    console.print(table)
    for each in resolutions.values():
        if each.state == "open":
            console.print(f"open: {each.proposal}: {each.why_open}", markup=False)
    for pair in pairs:
        kappa = "kappa undefined" if pair.kappa is None else f"kappa {pair.kappa:.2f}"
        console.print(f"{pair.first} and {pair.second}: {pair.share_equal:.0%} of {pair.num_shared} equal, {kappa}")
    if content.torn_lines:
        console.print(
            f"lines {list(content.torn_lines)} of the log were torn by a crash and hold no decision", markup=False
        )
    if gone:
        console.print(f"{len(gone)} decisions are about proposals that exist no more")


@app.command()
def serve(
    reviewer: Annotated[str, typer.Option(help="Your name; the page asks where none is given.")] = "",
    port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65535)] = 8765,
    host: Annotated[
        str, typer.Option(help="Anyone who reaches another address than 127.0.0.1 can vote.")
    ] = "127.0.0.1",
) -> None:
    """A web page to decide by keyboard; each decision is on the disk before the page moves on."""
    from jobs.review_page.serve import listen, run

    try:
        listener = listen(host, port)
    except OSError as error:
        raise _fail(f"cannot listen at {host}:{port} ({error.strerror}); choose another with --port") from error
    name = f"[{host}]" if ":" in host else host
    query = f"?reviewer={quote(reviewer)}" if reviewer else ""
    console.print(f"http://{name}:{listener.getsockname()[1]}/{query}  (Ctrl+C ends it)", markup=False, soft_wrap=True)
    run(listener, host)


def write_export(rows: list[dict[str, Any]], out: Path, format: str) -> Path:
    """Pictures and annotation file of proposal rows (with `path` of their clip); returns the annotation file."""
    from PIL import Image

    from g2w.video.read import read_frames

    (out / "images").mkdir(parents=True, exist_ok=True)
    for name, row in {image_name(row): row for row in rows}.items():
        index = frame_of(row)
        (frame,) = read_frames(row["path"], start=index, stop=index + 1)
        Image.fromarray(frame).save(out / "images" / name)
    if format == "coco":
        path, text = out / "annotations.json", json.dumps(to_coco(rows), indent=1)
    else:
        path, text = out / "tasks.json", json.dumps(to_label_studio(rows), indent=1)
        (out / "view.xml").write_text(label_studio_view(), encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


def _proposals() -> list[dict[str, Any]]:
    try:
        return current_proposals(settings.lake_root())
    except StaleProposals as error:
        raise _fail(str(error)) from error


def _resolutions() -> dict[str, Any]:
    from g2w_assets.ui import review_resolutions

    return dict(review_resolutions())


def _check(format: str) -> None:
    if format not in FORMATS:
        raise _fail(f"unknown format {format!r}; choose {' or '.join(FORMATS)}")


def _fail(text: str) -> typer.Exit:
    Console(stderr=True).print(f"error: {text}", style="red", highlight=False, markup=False, soft_wrap=True)
    return typer.Exit(2)
