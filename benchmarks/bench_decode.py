"""How close reading, composing and writing come to the decoder: ratios measured side by side in one run.

Usage: .venv/bin/python benchmarks/bench_decode.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from g2w.synth.recipe import SynthConfig, sample_recipes
from g2w.synth.render import PairRenderer
from g2w.ui.draw import starter_library
from g2w.ui.library import read_library, write_library
from g2w.video.read import iter_frames
from g2w.video.write import write_video

FRAMES = 150


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the best of three calls."""
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    """Print one line per stage: CPU milliseconds a frame, and the ratio to plain decoding."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wall = np.random.default_rng(0).integers(0, 255, (90, 400, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
        frames = [np.ascontiguousarray(wall[:, 6 * i : 6 * i + 1280]) for i in range(FRAMES)]
        write_video(folder / "clip.mp4", frames, preset="ultrafast")
        write_library(starter_library("a", 0, num_variants=2), folder / "library")
        clip = {"clip_id": "clip", "game": "bench/clip", "split": "train", "num_frames": FRAMES}
        config = SynthConfig(control_rate=0.0)
        (recipe,) = sample_recipes(
            [clip], read_library(folder / "library"), count=1, seed=3, split="train", config=config
        )

        def compose() -> None:
            renderer = PairRenderer(folder / "library", recipe)
            for index, frame in enumerate(iter_frames(folder / "clip.mp4")):
                renderer.frame(index, frame)

        stages: dict[str, Callable[[], object]] = {
            "decode to RGB": lambda: sum(1 for _ in iter_frames(folder / "clip.mp4")),
            "decode to 320x180": lambda: sum(1 for _ in iter_frames(folder / "clip.mp4", size=(320, 180))),
            f"decode + compose {recipe['num_elements']} elements": compose,
            "encode ultrafast": lambda: write_video(folder / "out.mp4", frames, preset="ultrafast"),
            "encode veryfast": lambda: write_video(folder / "out.mp4", frames),
        }
        base = 0.0
        for label, work in stages.items():
            spent = cpu_seconds(work)
            base = base or spent
            print(f"{label:32} {1000 * spent / FRAMES:7.2f} ms a frame   {spent / base:5.2f} x decode")


if __name__ == "__main__":
    main()
