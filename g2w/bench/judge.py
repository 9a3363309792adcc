"""What a judge is asked, what it may answer, and who it was: the vocabulary every verdict is written in."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from g2w.lineage.canonical import sha256_json

CANVAS = (1280, 720)
"""(width, height) on which everything is judged."""


class State(StrEnum):
    """What became of one element."""

    REMOVED = "removed"
    PRESENT = "present"
    UNCERTAIN = "uncertain"


class Artifact(StrEnum):
    """What is left where a removed element was; `not_applicable` unless the state is removed."""

    NONE = "none"
    MINOR = "minor"
    MAJOR = "major"
    NOT_APPLICABLE = "not_applicable"


class Background(StrEnum):
    """What happened outside the annotated boxes."""

    PRESERVED = "preserved"
    MINOR = "minor_change"
    MAJOR = "major_change"
    UNCERTAIN = "uncertain"


class Status(StrEnum):
    """Whether a verdict was given. An error is never a score."""

    OK = "ok"
    MISSING = "missing"
    ERROR = "error"


class JudgeError(StrEnum):
    """Why a verdict could not be given."""

    NO_OUTPUT = "no_output"
    UNREADABLE_OUTPUT = "unreadable_output"
    UNREADABLE_TRUTH = "unreadable_truth"
    NO_GROUND_TRUTH = "no_ground_truth"
    BAD_REPLY = "bad_reply"
    CRASHED = "crashed"


@dataclass(frozen=True)
class JudgeId:
    """Everything that could change a verdict other than the pictures (evals.md 5.1). Its hash goes into every row."""

    backend: str
    model: str
    revision: str
    quantization: str = ""
    server: str = ""
    prompt_sha: str = ""
    schema_sha: str = ""
    sheet_version: str = ""
    canvas: tuple[int, int] = CANVAS
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 0
    image_codec: str = ""
    max_pixels: int = 0

    def __post_init__(self) -> None:
        for name in ("backend", "model", "revision"):
            if not getattr(self, name):
                raise ValueError(f"a judge without {name} cannot be told apart from another: set JudgeId.{name}")
        if min(self.canvas) < 1:
            raise ValueError(f"JudgeId.canvas must be two positive sides, got {self.canvas}")

    @property
    def sha(self) -> str:
        """Hex SHA-256 over all fields."""
        return sha256_json({**asdict(self), "canvas": list(self.canvas)})


@dataclass(frozen=True, eq=False)
class SceneElement:
    """One annotated element in one frame.

    `box` is (x, y, w, h) in canvas pixels. `mask` is uint8 0 / 255 of shape (h, w) inside the box, or None where only
    the box is known (wild footage).
    """

    element_id: str
    cls: str
    box: tuple[int, int, int, int]
    mask: np.ndarray | None = None

    def __post_init__(self) -> None:
        x, y, w, h = self.box
        if w < 1 or h < 1 or x < 0 or y < 0 or x + w > CANVAS[0] or y + h > CANVAS[1]:
            raise ValueError(f"element {self.element_id}: box {self.box} does not lie inside the canvas {CANVAS}")
        if self.mask is not None and self.mask.shape != (h, w):
            raise ValueError(f"element {self.element_id}: mask {self.mask.shape} does not fit its box {self.box}")


@dataclass(frozen=True, eq=False)
class Scene:
    """One judged moment, the same for every system.

    `source` is the picture with interface and `clean` the one without (None in the wild), uint8 RGB (720, 1280, 3).
    `ignored` holds the boxes of annotated elements that are not judged: they are no background either.
    """

    source: np.ndarray
    clean: np.ndarray | None
    elements: tuple[SceneElement, ...]
    ignored: tuple[tuple[int, int, int, int], ...] = ()

    def __post_init__(self) -> None:
        for name in ("source", "clean"):
            image = getattr(self, name)
            if image is not None and (image.shape != (CANVAS[1], CANVAS[0], 3) or image.dtype != np.uint8):
                raise ValueError(f"{name} must be uint8 {(CANVAS[1], CANVAS[0], 3)}, got {image.dtype} {image.shape}")


@dataclass(frozen=True)
class ElementVerdict:
    """The answer for one element; `features` are the numbers it rests on (empty for judges that give none)."""

    element_id: str
    state: State
    artifact: Artifact = Artifact.NOT_APPLICABLE
    evidence: str = ""
    features: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.state is State.REMOVED) == (self.artifact is Artifact.NOT_APPLICABLE):
            raise ValueError(
                f"element {self.element_id}: {self.state} with {self.artifact}: only removed has an artifact"
            )


@dataclass(frozen=True)
class FrameVerdict:
    """The answer for one frame of one system."""

    background: Background
    new_overlay: bool
    elements: tuple[ElementVerdict, ...]
    features: dict[str, float] = field(default_factory=dict)


@runtime_checkable
class Judge(Protocol):
    """Anything that can compare one output frame with its scene."""

    def identity(self) -> JudgeId:
        """Who is judging."""
        ...

    def ask(self, scene: Scene, output: np.ndarray) -> FrameVerdict:
        """Judge `output` (uint8 RGB on the canvas) against `scene`; one element verdict per element, in their order."""
        ...


ELEMENT_FEATURES = ("pi", "ssim", "delta_e", "hf", "seam", "residual")
FRAME_FEATURES = (
    "bg_ssim",
    "bg_delta_e",
    "bg_bad_share",
    "bg_cluster",
    "psnr_inside",
    "psnr_background",
    "ssim_inside",
)

VERDICTS = pa.schema(
    [
        ("suite", pa.string()),
        ("system", pa.string()),
        ("item_id", pa.string()),
        ("game", pa.string()),
        ("level", pa.string()),
        ("frame_index", pa.int32()),
        ("t_ms", pa.int32()),
        ("element_id", pa.string()),
        ("track_id", pa.string()),
        ("cls", pa.string()),
        ("x", pa.int32()),
        ("y", pa.int32()),
        ("w", pa.int32()),
        ("h", pa.int32()),
        ("state", pa.string()),
        ("artifact", pa.string()),
        ("background", pa.string()),
        ("new_overlay", pa.bool_()),
        ("evidence", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("judge_sha", pa.string()),
        ("output_sha", pa.string()),
        ("canvas", pa.string()),
        *[(name, pa.float64()) for name in (*ELEMENT_FEATURES, *FRAME_FEATURES)],
    ]
)
"""One row per (system, item, frame) at level "frame" and per (system, item, frame, element) at level "element".

No clock, cost or attempt is in it: those belong to the run, not to the verdict.
"""
