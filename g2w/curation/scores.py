"""One row of measurements per clip, from one decoding pass at reduced size. Nothing is decided here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pyarrow as pa
from av.video.reformatter import ColorRange, Interpolation, VideoReformatter

from g2w.curation.ui_presence import ANALYSIS_SIZE, PersistentEdges, UiPresenceConfig
from g2w.video.read import EXACT, set_threads, video_stream

SMALL = (160, 90)
FLOW_SIZE = (320, 180)

SCHEMA = pa.schema(
    [
        ("status", pa.string()),
        ("num_frames", pa.int32()),
        ("luma_mean", pa.float64()),
        ("luma_p05", pa.float64()),
        ("luma_p95", pa.float64()),
        ("black_ratio", pa.float64()),
        ("duplicate_ratio", pa.float64()),
        ("frozen_ratio", pa.float64()),
        ("letterbox_x", pa.int32()),
        ("letterbox_y", pa.int32()),
        ("letterbox_w", pa.int32()),
        ("letterbox_h", pa.int32()),
        ("sharpness", pa.float64()),
        ("motion", pa.float64()),
        ("flow_px", pa.float64()),
        ("ui_present", pa.bool_()),
        ("ui_samples", pa.int32()),
        ("ui_edge_px", pa.int32()),
        ("ui_zone_edge_px", pa.int32()),
        ("ui_presence", pa.float64()),
        ("ui_half_edge_px", pa.int32()),
        ("world_class", pa.string()),
        ("content_hash", pa.string()),
        ("aesthetic", pa.float64()),
        ("aesthetic_status", pa.string()),
    ]
)


@dataclass(frozen=True)
class ScoreConfig:
    """How clips are measured.

    Attributes:
        sample_step: every how many frames the sharp statistics (edges, sharpness) look.
        black_luma: a frame whose 95th percentile of luma is at most this (of 255) is black.
        duplicate_levels: a frame in which no cell of 160x90 moved by more than this repeats the one before.
        frozen_run: repeats in a row from which the picture counts as frozen.
        bar_luma: rows and columns never brighter than this are bars.
        num_flow_pairs: pairs of neighboring frames for optical flow (DIS).
        ui: interface presence.
    """

    sample_step: int = 5
    black_luma: float = 24.0
    duplicate_levels: int = 4
    frozen_run: int = 10
    bar_luma: int = 20
    num_flow_pairs: int = 4
    ui: UiPresenceConfig = field(default_factory=UiPresenceConfig)

    def __post_init__(self) -> None:
        if self.sample_step < 1 or self.frozen_run < 1 or self.num_flow_pairs < 0:
            raise ValueError(f"sample_step and frozen_run must be >= 1, num_flow_pairs >= 0, got {self}")


def score_clip(path: str | Path, config: ScoreConfig | None = None) -> dict[str, Any]:
    """Measure a clip, on one thread.

    Returns:
        A row with the columns of `SCHEMA`. Luma is 0-255, ratios are shares of the frames in [0, 1], the letterbox is
        the picture inside any bars in pixels of the clip, `sharpness` the median variance of the Laplacian at 640x360,
        `motion` the mean absolute change per frame in levels, `flow_px` the median optical flow in pixels of a 1280
        wide picture per frame. `status` is ok or not_decodable; a clip that cannot be read has empty columns, never
        zeros. `aesthetic` needs weights that do not ship: `aesthetic_status` is unavailable and the value empty.
    """
    config = config or ScoreConfig()
    pass_ = _Pass(config)
    try:
        with av.open(str(path)) as container:
            stream = video_stream(container, path)
            set_threads(stream, 1)
            for frame in container.decode(stream):
                pass_.add(frame)
    except (av.error.FFmpegError, OSError, ValueError):
        return {**crashed_row(), "status": "not_decodable"}
    return pass_.row() if pass_.smalls else {**crashed_row(), "status": "not_decodable"}


def crashed_row() -> dict[str, Any]:
    """Row of a clip that killed the process that measured it: unknown in every column."""
    known = {"status": "crashed", "world_class": "unknown", "aesthetic_status": "unavailable"}
    return {**dict.fromkeys(SCHEMA.names), **known}


class _Pass:
    """Everything that is gathered while the frames pass."""

    def __init__(self, config: ScoreConfig) -> None:
        self.config = config
        self.size = (0, 0)
        self.smalls: list[np.ndarray] = []
        self.edges = PersistentEdges(config.ui)
        self.sharpness: list[float] = []
        self.flows: list[float] = []
        self._flow_from: np.ndarray | None = None
        self._reformatters = (VideoReformatter(), VideoReformatter())
        # Flow pairs stand evenly in 150 frames; a longer clip has more of them.
        self._flow_step = 150 // (config.num_flow_pairs + 1) if config.num_flow_pairs else 0
        self._dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST)

    def add(self, frame: av.VideoFrame) -> None:
        """Look at the next frame."""
        index = len(self.smalls)
        self.size = (frame.width, frame.height)
        self.smalls.append(_gray(frame, SMALL, self._reformatters[0]))
        if index % self.config.sample_step == 0:
            gray = _gray(frame, ANALYSIS_SIZE, self._reformatters[1])
            self.edges.add(gray)
            self.sharpness.append(float(cv2.Laplacian(gray, cv2.CV_32F).var()))
        if self._flow_from is not None:
            self.flows.append(self._flow(self._flow_from, _gray(frame, FLOW_SIZE, VideoReformatter())))
            self._flow_from = None
        elif self._flow_step and index % self._flow_step == self._flow_step - 1:
            self._flow_from = _gray(frame, FLOW_SIZE, VideoReformatter())

    def _flow(self, before: np.ndarray, after: np.ndarray) -> float:
        flow = self._dis.calc(before, after, np.zeros((*before.shape, 2), np.float32))
        return float(np.median(np.hypot(flow[..., 0], flow[..., 1]))) * 1280 / FLOW_SIZE[0]

    def row(self) -> dict[str, Any]:
        """The finished row of the clip."""
        smalls = np.stack(self.smalls)
        p95 = np.percentile(smalls, 95, axis=(1, 2))
        steps = np.abs(np.diff(smalls.astype(np.int16), axis=0))
        repeats = steps.max(axis=(1, 2)) <= self.config.duplicate_levels if len(steps) else np.zeros(0, bool)
        row: dict[str, Any] = {
            "status": "ok",
            "num_frames": len(smalls),
            "luma_mean": float(smalls.mean()),
            "luma_p05": float(np.percentile(smalls, 5)),
            "luma_p95": float(np.percentile(smalls, 95)),
            "black_ratio": float((p95 <= self.config.black_luma).mean()),
            "duplicate_ratio": float(repeats.mean()) if len(repeats) else 0.0,
            "frozen_ratio": _share_in_runs(repeats, self.config.frozen_run),
            **_letterbox(smalls.max(axis=0), self.size, self.config.bar_luma),
            "sharpness": float(np.median(self.sharpness)),
            "motion": float(steps.mean()) if len(steps) else 0.0,
            "flow_px": float(np.median(self.flows)) if self.flows else None,
            **self.edges.measure(),
            "content_hash": _difference_hash(smalls[len(smalls) // 2]),
            "aesthetic": None,
            "aesthetic_status": "unavailable",
        }
        return {**row, "world_class": _world_class(row, self.size)}


def _gray(frame: av.VideoFrame, size: tuple[int, int], reformatter: VideoReformatter) -> np.ndarray:
    return reformatter.reformat(
        frame, *size, "gray", interpolation=Interpolation.AREA | EXACT, dst_color_range=ColorRange.JPEG, threads=1
    ).to_ndarray()


def _share_in_runs(repeats: np.ndarray, run: int) -> float:
    """Share of the steps that lie in runs of at least `run` repeats."""
    if not len(repeats):
        return 0.0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], repeats.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    return float(lengths[lengths >= run].sum() / len(repeats))


def _letterbox(brightest: np.ndarray, size: tuple[int, int], bar_luma: int) -> dict[str, int]:
    """The picture inside black bars, in pixels of the clip, from the brightest value each cell ever had."""
    rows = np.flatnonzero(brightest.max(axis=1) > bar_luma)
    columns = np.flatnonzero(brightest.max(axis=0) > bar_luma)
    if not len(rows) or not len(columns):
        return {"letterbox_x": 0, "letterbox_y": 0, "letterbox_w": 0, "letterbox_h": 0}
    wide, high = size[0] / brightest.shape[1], size[1] / brightest.shape[0]
    return {
        "letterbox_x": round(columns[0] * wide),
        "letterbox_w": round((columns[-1] + 1 - columns[0]) * wide),
        "letterbox_y": round(rows[0] * high),
        "letterbox_h": round((rows[-1] + 1 - rows[0]) * high),
    }


def _difference_hash(small: np.ndarray) -> str:
    """64-bit difference hash of a picture as 16 hex digits: equal for re-encodings, close for near-copies."""
    cells = cv2.resize(small, (9, 8), interpolation=cv2.INTER_AREA)
    bits = np.packbits(cells[:, 1:] > cells[:, :-1])
    return bits.tobytes().hex()


def _world_class(row: dict[str, Any], size: tuple[int, int]) -> str:
    """world, menu, cutscene, loading or unknown, by plain rules; what fits none of them is unknown."""
    still = row["frozen_ratio"] > 0.5 or row["motion"] < 0.3
    if row["black_ratio"] > 0.5 or (still and row["luma_p95"] < 60):
        return "loading"
    if still:
        return "menu" if row["sharpness"] > 50 else "unknown"
    bars = 1 - row["letterbox_w"] * row["letterbox_h"] / (size[0] * size[1])
    if bars > 0.15 and row["letterbox_w"] >= 0.98 * size[0]:
        return "cutscene"
    moving = row["motion"] >= 1.0 and (row["flow_px"] is None or row["flow_px"] > 0.2 or row["motion"] > 3.0)
    return "world" if moving else "unknown"
