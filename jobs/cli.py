"""The command `g2w`: a person at a terminal starts things."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from jobs.export import app as export_app
from jobs.pages import library_app, preview_app
from jobs.review import app as review_app

app = typer.Typer(no_args_is_help=True, add_completion=True, help="Gameplay video in, data for world models out.")
app.add_typer(export_app, name="export")
app.add_typer(review_app, name="review")
app.add_typer(preview_app, name="preview")
app.add_typer(library_app, name="library")
# A pipe has no width: 80 columns would cut the tables of `g2w demo` short.
console = Console(width=None if sys.stdout.isatty() else 120)
errors = Console(stderr=True)


def fail(text: str, code: int = 1) -> typer.Exit:
    """Print an error and return the exception that ends the command."""
    errors.print(f"[bold red]error[/]: {text}", highlight=False)
    return typer.Exit(code)


@app.command()
def demo(
    videos: Annotated[
        Path | None, typer.Option(help="A folder of your own videos, taken along as one more batch.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would run, and stop.")] = False,
) -> None:
    """From real gameplay to a benchmark report: runs the whole graph on this machine."""
    from jobs import demo as graph
    from jobs.summary import print_plan, print_summary

    if dry_run:
        print_plan(console)
        return
    try:
        result = graph.run_demo(videos, lambda text: console.print(text, highlight=False, markup=False))
    except (graph.DemoFailed, FileNotFoundError) as error:
        raise fail(str(error)) from error
    print_summary(console, result)


@app.command()
def clean(
    video: Annotated[Path, typer.Argument(help="Any video file.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to write the cleaned mp4.")],
    system: Annotated[str, typer.Option(help="lite or diffusion.")] = "lite",
    checkpoint: Annotated[
        Path | None, typer.Option(help="A checkpoint folder; by default the latest in the lake.")
    ] = None,
) -> None:
    """Remove the user interface from one video. Sound, frame count, frame rate and duration stay; the input is only read."""
    from jobs.clean_video import CleanFailed, clean_video

    try:
        facts = clean_video(video, out, system=system, checkpoint=checkpoint, console=console)
    except CleanFailed as error:
        raise fail(str(error)) from error
    console.print(
        f"{out}: {facts['num_frames']} frames in {facts['seconds']:.1f} s "
        f"({facts['num_frames'] / facts['seconds']:.1f} frames/s), {facts['masked_share']:.1%} of the pixels replaced"
    )


@app.command()
def audit(
    score_id: Annotated[str, typer.Argument(help="A score, such as game2world_gt/lite/aar, optionally @snapshot.")],
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Check manifests only, not every file.")] = False,
) -> None:
    """Where a score came from: every link down to the source videos, each checked byte by byte."""
    from jobs.audit_view import AuditError, audit_score, print_audit

    try:
        found = audit_score(score_id, check_files=not fast)
    except AuditError as error:
        raise fail(str(error), 2) from error
    print_audit(console, found, as_json=as_json)
    if not found.result.ok:
        raise typer.Exit(1)


@app.command()
def seal(folder: Annotated[Path, typer.Argument(help="A folder of video files.")]) -> None:
    """Seal the new videos of a folder into the next batch."""
    from g2w_assets import settings
    from jobs.sealing import seal_folder
    from resources.lake import LakeResource

    try:
        batch = seal_folder(LakeResource(root=settings.lake_root()).open(), folder)
    except FileNotFoundError as error:
        raise fail(str(error)) from error
    if batch is None:
        console.print(f"{folder}: every video is already in a batch")
    else:
        console.print(f"{batch.key}: {len(batch.sources)} videos sealed; materialize it with the job `ingest`")


@app.command()
def doctor(as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """What is installed, which weights are present, which presets can run."""
    from jobs.doctor import examine

    findings = examine()
    if as_json:
        print(json.dumps([vars(f) for f in findings], indent=2))
    else:
        table = Table("what", "state", "note", title="g2w doctor")
        for finding in findings:
            color = {"ok": "green", "missing": "yellow", "broken": "red"}[finding.state]
            table.add_row(finding.what, f"[{color}]{finding.state}[/]", finding.note)
        console.print(table)
    if any(finding.state == "broken" for finding in findings):
        raise typer.Exit(1)


@app.command()
def ui(port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000) -> None:
    """Open the asset graph: Dagster's web server and daemon on this machine."""
    from g2w_assets import settings

    home = settings.home()
    environment = {**os.environ, "DAGSTER_HOME": str(home)}
    # Two processes that initialize a fresh SQLite home at once corrupt its migrations: do it once, first.
    subprocess.run(
        [sys.executable, "-m", "dagster", "instance", "info"], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    command = [
        sys.executable,
        "-m",
        "dagster",
        "dev",
        "-m",
        "g2w_assets.definitions",
        "-h",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    os.chdir(settings.CHECKOUT)
    os.execve(sys.executable, command, environment)


@app.command()
def mlflow(port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 5000) -> None:
    """Open the embedded MLflow store in a browser page."""
    from g2w_assets import settings

    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", settings.mlflow_uri()]
    os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    app()
