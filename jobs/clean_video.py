"""`g2w clean`: one video file in, one cleaned mp4 out, in windows, so that length does not matter to memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from g2w_assets import settings
from resources.lake import LakeResource

if TYPE_CHECKING:
    import numpy as np

    from g2w.video.cleaning import Cleaner

WINDOW = 120
CONTEXT = 15
ASSETS = {"lite": "cleaner/lite", "diffusion": "cleaner/checkpoint"}
THREADS = 2


class CleanFailed(Exception):
    """The video could not be cleaned; the message says what to do."""


def clean_video(video: Path, out: Path, *, system: str, checkpoint: Path | None, console: Console) -> dict[str, Any]:
    """Clean `video` into `out`; returns num_frames, seconds and masked_share.

    Raises:
        CleanFailed: unknown system, no checkpoint, unreadable input, or an output that would overwrite the input.
    """
    from g2w.video.probe import probe_file

    if system not in ASSETS:
        raise CleanFailed(f"unknown system {system!r}; choose {' or '.join(ASSETS)}")
    if not video.is_file():
        raise CleanFailed(f"{video} is not a file; URLs are not fetched: download the video first")
    if out.exists() and out.samefile(video):
        raise CleanFailed(f"{out} is the input itself; choose another output")
    folder = checkpoint or latest_checkpoint(system)
    row = probe_file(str(video))
    if row["verdict"] == "rejected" and row["reason"] not in ("black", "frozen", "short"):
        raise CleanFailed(f"{video} cannot be read: {row['reason']}")
    cleaner = _load(system, folder)
    columns = (TextColumn("cleaning"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=row["num_frames"])
        return _run(cleaner, video, out, lambda count: progress.advance(task, count))


def latest_checkpoint(system: str) -> Path:
    """Folder of the current checkpoint in the lake.

    Raises:
        CleanFailed: if none was trained yet.
    """
    lake = LakeResource(root=settings.lake_root()).open()
    head = lake.head(ASSETS[system], "all")
    if head is None:
        raise CleanFailed(f"no {system} checkpoint in {lake.root}; train one with `g2w demo`, or pass --checkpoint DIR")
    return lake.open(head).local_dir()


def _load(system: str, folder: Path) -> Cleaner:
    import cv2
    import torch

    torch.set_num_threads(THREADS)
    cv2.setNumThreads(THREADS)
    if system == "diffusion":
        from models.cleaner.clean import load_cleaner

        return load_cleaner(folder)
    from models.lite import load_lite

    return load_lite(folder)


def _run(cleaner: Cleaner, video: Path, out: Path, advance: Any) -> dict[str, Any]:
    import av

    from g2w.video.write import VideoWriter

    started = time.monotonic()
    with av.open(str(video)) as container:
        fps = Fraction(container.streams.video[0].average_rate or 30)
    parts = _windows(cleaner, video)
    first = next(parts, None)
    if first is None:
        raise CleanFailed(f"{video} holds no frame that can be decoded")
    masked = 0.0
    height, width = first[0].shape[1:3]
    with VideoWriter(out, width=width, height=height, fps=fps, threads=THREADS, audio_from=video) as writer:
        for frames, times, share in chain([first], parts):
            for frame, time_s in zip(frames, times, strict=True):
                writer.write(frame, pts=time_s)
            masked += share * len(frames)
            advance(len(frames))
    seconds = time.monotonic() - started
    return {"num_frames": writer.num_frames, "seconds": seconds, "masked_share": masked / writer.num_frames}


def _windows(cleaner: Cleaner, video: Path) -> Iterator[tuple[np.ndarray, list[Fraction], float]]:
    """Cleaned stretches of WINDOW frames. Each is cleaned with CONTEXT frames before and after, which are thrown away,
    so that the statistics over time do not jump at a seam."""
    import numpy as np

    held: list[np.ndarray] = []
    times: list[Fraction] = []
    lead = 0
    for frame, time_s in _decode(video):
        held.append(frame)
        times.append(time_s)
        if len(held) == lead + WINDOW + CONTEXT:
            yield _part(cleaner, np.stack(held), times, lead, lead + WINDOW)
            keep = max(0, lead + WINDOW - CONTEXT)
            held, times, lead = held[keep:], times[keep:], lead + WINDOW - keep
    if len(held) > lead:
        yield _part(cleaner, np.stack(held), times, lead, len(held))


def _part(
    cleaner: Cleaner, frames: np.ndarray, times: list[Fraction], start: int, stop: int
) -> tuple[np.ndarray, list[Fraction], float]:
    result = cleaner.clean(frames)
    return result.frames[start:stop], times[start:stop], result.masked_share


def _decode(video: Path) -> Iterator[tuple[np.ndarray, Fraction]]:
    import av

    from g2w.video.read import to_rgb

    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = THREADS
        first: Fraction | None = None
        for frame in container.decode(stream):
            if frame.pts is None or frame.time_base is None:
                raise CleanFailed(
                    f"{video}: a frame without a time; remux the file first (ffmpeg -i IN -c copy OUT.mp4)"
                )
            now = Fraction(frame.pts * frame.time_base)
            first = now if first is None else first
            rgb = to_rgb(frame)
            height, width = rgb.shape[:2]
            # yuv420p has no odd sides; one line or column is cut rather than one invented.
            yield rgb[: height - height % 2, : width - width % 2], now - first
