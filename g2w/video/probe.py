"""One row per source file: what decoding it to the end showed, and a verdict. Nothing a file holds can raise here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow as pa
from av.video.reformatter import Interpolation, VideoReformatter

from g2w.video.decode import Damage, Decoded, decode_all
from g2w.video.read import quarter_turns_of, video_stream
from g2w.video.shots import THUMBNAIL, ShotConfig, ShotDetector
from g2w.video.source_card import DEFAULTS, read_source_card
from g2w.video.verdicts import Reason, Verdict

VFR_TOLERANCE_S = 0.0015  # Matroska stores milliseconds: 33 and 34 in turn are a constant 30 fps
HDR_TRANSFERS = {16: "pq", 18: "hlg"}
SIDE_SUFFIXES = {"actions_file": ".actions.parquet", "elements_file": ".elements.parquet"}

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("sha256", pa.string()),
        ("size_bytes", pa.int64()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("duplicate_of", pa.string()),
        ("container", pa.string()),
        ("codec", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("rotation", pa.int32()),
        ("sar", pa.string()),
        ("pix_fmt", pa.string()),
        ("fps", pa.string()),
        ("fps_value", pa.float64()),
        ("num_frames", pa.int32()),
        ("header_frames", pa.int32()),
        ("first_pts_s", pa.float64()),
        ("duration_s", pa.float64()),
        ("is_vfr", pa.bool_()),
        ("is_hdr", pa.bool_()),
        ("is_interlaced", pa.bool_()),
        ("has_audio", pa.bool_()),
        ("num_keyframes", pa.int32()),
        ("num_errors", pa.int32()),
        ("black_share", pa.float64()),
        ("frozen_share", pa.float64()),
        ("shots", pa.string()),
        ("source", pa.string()),
        ("game", pa.string()),
        ("genre", pa.string()),
        ("hud", pa.string()),
        ("split", pa.string()),
        ("twin", pa.string()),
        ("episode", pa.string()),
        ("licence", pa.string()),
        ("card", pa.string()),
        ("actions_file", pa.string()),
        ("elements_file", pa.string()),
    ]
)


@dataclass(frozen=True)
class ProbeConfig:
    """Limits of the verdict on a whole file.

    Attributes:
        min_duration_s: anything shorter cannot hold a clip of any preset.
        black_luma: a thumbnail whose brightest cell is at most this (of 255) is black.
        frozen_levels: a thumbnail in which no cell moved by more than this repeats the one before.
        max_bad_share: share of black or repeated frames above which the whole file is rejected.
        shots: shot detection.
    """

    min_duration_s: float = 1.0
    black_luma: float = 24.0
    frozen_levels: float = 3.0
    max_bad_share: float = 0.95
    shots: ShotConfig = field(default_factory=ShotConfig)

    def __post_init__(self) -> None:
        if self.min_duration_s < 0 or not 0 < self.max_bad_share <= 1:
            raise ValueError(f"min_duration_s must be >= 0 and max_bad_share in (0, 1], got {self}")


def probe_file(path: str | Path, config: ProbeConfig | None = None) -> dict[str, Any]:
    """Decode a file once, to the end, on one thread.

    Returns:
        A row with the columns of `SCHEMA`. `shots` is a JSON list of [start, stop) frame indices: runs without damage,
        discontinuity or cut. `width` and `height` are upright and in square pixels; `first_pts_s` and `duration_s` are
        seconds; `fps` is a fraction as text. Bad input gives a verdict and a reason (`Reason`), never an exception.
    """
    path, config = Path(path), config or ProbeConfig()
    row = _blank_row(path)
    try:
        row["size_bytes"] = path.stat().st_size
        with path.open("rb") as file:
            row["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return _reject(row, Reason.MISSING)
    except OSError:
        return _reject(row, Reason.UNREADABLE)
    if row["size_bytes"] == 0:
        return _reject(row, Reason.EMPTY)
    row.update(_side_files(path))
    try:
        with av.open(str(path)) as container:
            return _probe_container(container, path, row, config)
    except (av.error.FFmpegError, OSError, ValueError):
        return _reject(row, Reason.NO_INDEX if _looks_cut(path) else Reason.NOT_MEDIA)


def crashed_row(path: str | Path, sha256: str, size_bytes: int) -> dict[str, Any]:
    """Row of a file that killed the process that probed it."""
    return _reject({**_blank_row(Path(path)), "sha256": sha256, "size_bytes": size_bytes}, Reason.CRASHED)


def mark_duplicates(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reject every row whose content came before, in the order given; `duplicate_of` names the first one."""
    first: dict[str, str] = {}
    marked = []
    for row in rows:
        known = first.setdefault(row["sha256"], row["name"]) if row["sha256"] else row["name"]
        repeated = known != row["name"] and row["verdict"] != Verdict.REJECTED
        marked.append({**_reject(dict(row), Reason.DUPLICATE), "duplicate_of": known} if repeated else row)
    return marked


def _blank_row(path: Path) -> dict[str, Any]:
    card = read_source_card(path)
    return {**dict.fromkeys(SCHEMA.names), "name": path.name, **{key: card[key] for key in DEFAULTS}}


def _reject(row: dict[str, Any], reason: Reason) -> dict[str, Any]:
    row["verdict"], row["reason"] = str(Verdict.REJECTED), str(reason)
    return row


def _side_files(path: Path) -> dict[str, str | None]:
    beside = {column: path.with_name(path.stem + suffix) for column, suffix in SIDE_SUFFIXES.items()}
    return {column: (file.name if file.is_file() else None) for column, file in beside.items()}


def _looks_cut(path: Path) -> bool:
    """True for an ISO media file (mp4, mov) whose index was never written or was cut off."""
    with path.open("rb") as file:
        return file.read(12)[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free")


def _probe_container(
    container: av.container.InputContainer, path: Path, row: dict[str, Any], config: ProbeConfig
) -> dict[str, Any]:
    row["container"], row["has_audio"] = container.format.name, bool(container.streams.audio)
    try:
        stream = video_stream(container, path)
    except ValueError:
        return _reject(row, Reason.NO_VIDEO)
    row.update(_stream_facts(stream))
    if row["is_hdr"]:
        return _reject(row, Reason.HDR)
    # The decoder sees nothing wrong in a file that was cut between two packets; its index does.
    cut_off = any(entry.pos + entry.size > row["size_bytes"] for entry in stream.index_entries)
    damage, look = Damage(), _Look(config)
    for decoded in decode_all(container, path, damage):
        look.add(decoded)
    if not look.times:
        return _reject(row, Reason.NOT_DECODABLE)
    row.update(_picture_facts(stream, damage, look))
    damage.num_errors += cut_off and not damage.num_errors
    return _judge(row, damage, config)


def _stream_facts(stream: av.video.stream.VideoStream) -> dict[str, Any]:
    context = stream.codec_context
    return {
        "codec": context.name,
        "pix_fmt": context.pix_fmt,
        "header_frames": stream.frames,
        "is_hdr": int(context.color_trc or 0) in HDR_TRANSFERS,
        "sar": str(Fraction(stream.sample_aspect_ratio or 1)),
    }


class _Look:
    """What the frames show, gathered while they pass."""

    def __init__(self, config: ProbeConfig) -> None:
        self.config = config
        self.times: list[Fraction] = []
        self.broken: list[bool] = []
        self.jumps: list[int] = []
        self.num_keyframes = self.num_black = self.num_frozen = self.turns = 0
        self.is_interlaced = False
        self.size = (0, 0)
        self.detector = ShotDetector(config.shots)
        self._reformatter = VideoReformatter()
        self._before: np.ndarray | None = None
        self._shortest: Fraction | None = None

    def add(self, decoded: Decoded) -> None:
        """Look at the next frame."""
        frame = decoded.frame
        if not self.times:
            self.size, self.turns = (frame.width, frame.height), quarter_turns_of(frame)
        self.times.append(decoded.time_s)
        self.broken.append(decoded.broken)
        if decoded.jump:
            self.jumps.append(decoded.index)
        self.num_keyframes += bool(frame.key_frame)
        self.is_interlaced |= bool(frame.interlaced_frame)
        small = self._reformatter.reformat(
            frame, *THUMBNAIL, "rgb24", interpolation=Interpolation.AREA, threads=1
        ).to_ndarray()
        self.num_black += int(small.max() <= self.config.black_luma)
        if self._before is not None:
            self.num_frozen += int(_largest_step(self._before, small) <= self.config.frozen_levels)
        self.detector.add(small, self._frames_apart())
        self._before = small

    def _frames_apart(self) -> float:
        if len(self.times) < 2:
            return 1.0
        step = self.times[-1] - self.times[-2]
        self._shortest = min(step, self._shortest or step)
        return float(step / self._shortest)


def _largest_step(before: np.ndarray, after: np.ndarray) -> int:
    return int(np.abs(after.astype(np.int16) - before).max())


def _picture_facts(stream: av.video.stream.VideoStream, damage: Damage, look: _Look) -> dict[str, Any]:
    steps = np.diff(np.asarray([float(t) for t in look.times])) if len(look.times) > 1 else np.zeros(0)
    fps = _frame_rate(stream, steps)
    sar = Fraction(stream.sample_aspect_ratio or 1)
    width, height = round(look.size[0] * sar), look.size[1]
    if look.turns % 2:
        width, height = height, width
    count = len(look.times)
    duration = look.times[-1] + 1 / fps
    return {
        "width": width,
        "height": height,
        "rotation": 90 * look.turns,
        "fps": str(fps),
        "fps_value": count / float(duration),
        "num_frames": count,
        "first_pts_s": damage.first_pts_s,
        "duration_s": float(duration),
        "is_vfr": bool(np.any(np.abs(steps - 1 / float(fps)) > VFR_TOLERANCE_S)),
        "is_interlaced": look.is_interlaced,
        "num_keyframes": look.num_keyframes,
        "num_errors": damage.num_errors,
        "black_share": look.num_black / count,
        "frozen_share": look.num_frozen / max(1, count - 1),
        "shots": json.dumps(_good_runs(look, float(fps))),
    }


def _frame_rate(stream: av.video.stream.VideoStream, steps: np.ndarray) -> Fraction:
    """Nominal rate: the header's, where the middle of the real steps agrees with it."""
    claims = [Fraction(rate) for rate in (stream.guessed_rate, stream.average_rate, stream.base_rate) if rate]
    if not len(steps):
        return claims[0] if claims else Fraction(30)
    middle = float(np.median(steps))
    near = [rate for rate in claims if abs(1 / float(rate) - middle) <= VFR_TOLERANCE_S]
    return near[0] if near else Fraction(1 / middle).limit_denominator(1001)


def _good_runs(look: _Look, fps: float) -> list[list[int]]:
    """[start, stop) runs of frames between cuts, jumps and damage."""
    starts = {0, *look.jumps, *look.detector.starts(fps)}
    runs: list[list[int]] = []
    for index, broken in enumerate(look.broken):
        if broken:
            continue
        if index in starts or not runs or runs[-1][1] != index:
            runs.append([index, index])
        runs[-1][1] = index + 1
    return runs


def _judge(row: dict[str, Any], damage: Damage, config: ProbeConfig) -> dict[str, Any]:
    if row["duration_s"] < config.min_duration_s:
        return _reject(row, Reason.SHORT)
    if row["black_share"] >= config.max_bad_share:
        return _reject(row, Reason.BLACK)
    if row["frozen_share"] >= config.max_bad_share:
        return _reject(row, Reason.FROZEN)
    row["verdict"], row["reason"] = str(Verdict.OK), None
    if damage.num_errors:
        row["verdict"] = str(Verdict.PARTIAL)
        row["reason"] = str(Reason.CORRUPT if damage.salvaged else Reason.TRUNCATED)
    elif damage.num_jumps:
        row["verdict"], row["reason"] = str(Verdict.REPAIRED), str(Reason.DISCONTINUITY)
    return row
