"""What a clip is: its form, its place in the source, its name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from g2w.video.fit import Policy


@dataclass(frozen=True)
class ClipConfig:
    """The canonical clip.

    Attributes:
        num_frames, fps, width, height: of every clip.
        policy: what happens to pictures of another shape (`g2w.video.fit`).
        crf, preset, threads: of x264, for sources that cannot be copied.
        version: raised when the same inputs would give other clips.
    """

    num_frames: int = 150
    fps: int = 30
    width: int = 1280
    height: int = 720
    policy: Policy = "fit"
    crf: int = 18
    preset: str = "veryfast"
    threads: int = 1
    version: int = 1

    def __post_init__(self) -> None:
        if self.num_frames < 1 or self.fps < 1 or self.threads < 1:
            raise ValueError(f"num_frames, fps and threads must be at least 1, got {self}")
        if self.width % 2 or self.height % 2 or self.width < 2 or self.height < 2:
            raise ValueError(f"yuv420p needs even sides, got {self.width}x{self.height}")
        if self.policy not in ("fit", "crop", "pad"):
            raise ValueError(f"policy must be fit, crop or pad, got {self.policy!r}")


@dataclass
class Span:
    """One clip to be: its place in the source, and the source frame that each of its frames shows."""

    shot_id: int
    clip_index: int
    start_frame: int
    start_s: float
    frames: list[int]


def clip_id_of(video_sha256: str, start_frame: int, config: ClipConfig) -> str:
    """Name of a clip, 16 letters of [0-9a-f]: a hash of the source's content, the first frame and the recipe."""
    recipe = {key: value for key, value in asdict(config).items() if key != "threads"}
    text = json.dumps([video_sha256, start_frame, recipe], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def regular_spans(probe_row: Mapping[str, Any], config: ClipConfig) -> tuple[list[Span], list[Span]]:
    """(whole clips, remainders) of a source that already runs at the wanted constant rate."""
    whole: list[Span] = []
    rest: list[Span] = []
    for shot_id, (start, stop) in enumerate(json.loads(probe_row["shots"])):
        for clip_index, first in enumerate(range(start, stop, config.num_frames)):
            frames = list(range(first, min(first + config.num_frames, stop)))
            span = Span(shot_id, clip_index, first, first / config.fps, frames)
            (whole if len(frames) == config.num_frames else rest).append(span)
    return whole, rest
