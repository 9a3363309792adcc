"""What a pair costs, next to the limits: decoding alone, decoding and encoding one stream, and ffmpeg's own overlays.

Every line runs two processes of one thread at a time on the same recipes; lines take turns over several rounds, and the
printed ratio is the median of the ratios within a round.

Usage: .venv/bin/python benchmarks/bench_pairs.py [--clip CLIP.mp4] [--overlays 10] [--rounds 5] [--curves]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2

from g2w.footage.episode import EpisodeConfig, render_episode
from g2w.synth.recipe import RecipeSampler, SynthConfig
from g2w.synth.write import iter_pair, render_pair
from g2w.ui.draw import starter_library
from g2w.ui.library import read_library, write_library
from g2w.video.read import iter_decoded, iter_frames
from g2w.video.write import VideoWriter

PROCESSES = 2
FRAMES = 150


@dataclass(frozen=True)
class Job:
    """What one process does in one line: a pair, the clip it lies over, and where to write."""

    clip: str
    library: str
    recipe: dict[str, Any]
    out: str
    canvas: tuple[int, int] = (1280, 720)


def decode(job: Job) -> None:
    """The limit of reading: frames as they are stored."""
    for _ in iter_decoded(job.clip):
        pass


def decode_rgb(job: Job) -> None:
    """The limit of virtual pairs: RGB frames of the canvas size."""
    size = None if job.canvas == (1280, 720) else job.canvas
    for _ in iter_frames(job.clip, size=size):
        pass


def decode_encode(job: Job) -> None:
    """The limit of rendered pairs: one stream decoded and encoded with the settings of the UI side."""
    with VideoWriter(Path(job.out) / "limit.mp4", width=1280, height=720) as writer:
        for frame in iter_decoded(job.clip):
            writer.write_yuv(frame)


def virtual(job: Job) -> None:
    """A pair composed on the fly: UI, clean and mask."""
    for _ in iter_pair(job.recipe, job.clip, job.library, canvas=job.canvas):
        pass


def rendered(job: Job) -> None:
    """A pair as files: UI video, masks, boxes."""
    render_pair(job.recipe, job.clip, job.library, job.out)


def ffmpeg(job: Job) -> None:
    """The same pictures at the same places and times by ffmpeg's overlay filter in 4:2:0; no mask, no motion."""
    _overlays(job, "yuv420", masked=False)


def ffmpeg_masked(job: Job) -> None:
    """The same in RGB, as our pixels are defined, with the mask as a second lossless video."""
    _overlays(job, "gbrp", masked=True)


def _overlays(job: Job, pixels: str, *, masked: bool) -> None:
    inputs, graph, last = ["-i", job.clip], [], "0:v"
    masks = ["color=black:s=1280x720:r=30:d=5,format=gbrp[m0]"] if masked else []
    for k, spec in enumerate(json.loads(job.recipe["elements"]), 1):
        inputs += ["-i", f"{job.out}/{k}.png"]
        when = f"enable='between(n,{spec['start']},{spec['stop'] - 1})'"
        spot = f"overlay={spec['x']}:{spec['y']}:format={pixels}:{when}"
        if masked:
            graph.append(f"[{k}:v]split[p{k}][q{k}]")
            masks.append(f"[q{k}]lutrgb=r=255:g=255:b=255[w{k}];[m{k - 1}][w{k}]{spot}[m{k}]")
        graph.append(f"[{last}][{f'p{k}' if masked else f'{k}:v'}]{spot}[v{k}]")
        last = f"v{k}"
    count = len(json.loads(job.recipe["elements"]))
    x264 = [
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-crf",
        "18",
        "-bf",
        "0",
        "-g",
        "30",
        "-pix_fmt",
        "yuv420p",
        "-threads",
        "1",
    ]
    command = ["ffmpeg", "-y", "-loglevel", "error", "-threads", "1", "-filter_complex_threads", "1", *inputs]
    command += ["-filter_complex", ";".join([*graph, *masks]), "-map", f"[{last}]", *x264, f"{job.out}/ffmpeg.mp4"]
    if masked:
        lossless = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "gray", "-threads", "1"]
        command += ["-map", f"[m{count}]", *lossless, f"{job.out}/ffmpeg-mask.mp4"]
    subprocess.run(command, check=True)


def played(folder: Path) -> Path:
    """Five seconds of ViZDoom without an interface."""
    config = EpisodeConfig("freedoom2", "MAP01", seed=1, num_frames=FRAMES)
    render_episode(config, folder / "inbox")
    return folder / "inbox" / f"{config.name}.mp4"


def seconds(pool: ProcessPoolExecutor, work: Callable[[Job], None], jobs: list[Job]) -> float:
    """Wall seconds until every process has done its part."""
    started = time.perf_counter()
    list(pool.map(work, jobs))
    return time.perf_counter() - started


def prepare(folder: Path, clip: Path, overlays: int, canvas: tuple[int, int] = (1280, 720)) -> list[Job]:
    """One job per process: the first recipes with so many elements, and their first pictures for ffmpeg."""
    library = folder / "library"
    if not library.exists():
        write_library(starter_library("a", 0, num_variants=2), library)
    row = {"clip_id": "clip", "game": "bench/clip", "split": "train", "num_frames": FRAMES}
    config = SynthConfig(control_rate=0.0 if overlays else 1.0).without("codec")
    sampler = RecipeSampler([row], read_library(library), seed=7, split="train", config=config)
    rows = (sampler.row(index) for index in range(100_000))
    jobs = []
    while len(jobs) < PROCESSES:
        recipe = next(row for row in rows if row["num_elements"] == overlays)
        out = folder / f"{overlays}-{len(jobs)}"
        out.mkdir(exist_ok=True)
        for k, spec in enumerate(json.loads(recipe["elements"]), 1):
            strip = cv2.imread(str(library / "png" / f"{spec['asset_id']}.png"), cv2.IMREAD_UNCHANGED)
            cv2.imwrite(str(out / f"{k}.png"), strip[: strip.shape[0] // int(spec["num_states"])])
        jobs.append(Job(str(clip), str(library), recipe, str(out), canvas))
    return jobs


def compare(pool: ProcessPoolExecutor, works: list[Callable[[Job], None]], jobs: list[Job], rounds: int) -> None:
    """Print ms a frame of each, and its speed as a share of the first one's."""
    found: dict[str, list[float]] = {work.__name__: [] for work in works}
    for _ in range(rounds):
        for work in works:
            found[work.__name__].append(seconds(pool, work, jobs))
    base = found[works[0].__name__]
    for work in works:
        times = found[work.__name__]
        ratio = statistics.median(b / t for b, t in zip(base, times, strict=True))
        ms = 1000 * statistics.median(times) / FRAMES
        print(f"  {work.__name__:16} {ms:7.2f} ms a frame   {ratio:5.2f} of the speed of {works[0].__name__}")


def curves(pool: ProcessPoolExecutor, folder: Path, clip: Path, rounds: int) -> None:
    """Cost by number of overlays, by resolution, and memory by number of pairs."""
    for overlays in (0, 2, 5, 10, 14):
        print(f"{overlays} overlays:")
        compare(pool, [decode_encode, rendered], prepare(folder, clip, overlays), rounds)
    for canvas in ((320, 180), (640, 360), (1280, 720)):
        print(f"virtual pairs of 10 overlays at {canvas[0]}x{canvas[1]}:")
        compare(pool, [decode_rgb, virtual], prepare(folder, clip, 10, canvas), rounds)
    (job, _) = prepare(folder, clip, 5)
    done = 0
    for target in (2, 10, 30):
        for _ in range(done, target):
            rendered(job)
        done = target
        print(f"after {done:3} pairs: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def main() -> None:
    """Print the comparison with the limits, then the cost curves if asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clip", type=Path, help="a canonical clip of 150 frames; by default one is played")
    parser.add_argument("--overlays", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--curves", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        folder = Path(name)
        clip = args.clip or played(folder)
        jobs = prepare(folder, clip, args.overlays)
        print(f"rendered pairs, {args.overlays} overlays, {PROCESSES} processes of one thread:")
        compare(pool, [decode_encode, rendered, ffmpeg, ffmpeg_masked], jobs, args.rounds)
        print("virtual pairs, the same:")
        compare(pool, [decode_rgb, virtual, decode], jobs, args.rounds)
        if args.curves:
            curves(pool, folder, clip, args.rounds)


if __name__ == "__main__":
    main()
