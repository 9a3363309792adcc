"""Clips: five seconds at 1280x720 and 30 fps, cut by decoded time inside shots, with their actions and boxes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from g2w.video.aligned import SideTableError, align_actions, align_elements
from g2w.video.clip_config import ClipConfig, Span, clip_id_of, regular_spans
from g2w.video.cutter import encode_clips
from g2w.video.fit import Fit, plan_fit
from g2w.video.remux import copy_spans, idr_frames, is_canonical
from g2w.video.verdicts import Reason, Verdict

__all__ = ["SCHEMA", "ClipConfig", "clip_id_of", "crashed_row", "cut_video"]

CARRIED = ("game", "genre", "split", "hud", "twin", "episode", "source", "licence")
SCHEMA = pa.schema(
    [
        ("clip_id", pa.string()),
        ("video_sha256", pa.string()),
        ("video", pa.string()),
        *((name, pa.string()) for name in CARRIED),
        ("shot_id", pa.int32()),
        ("clip_index", pa.int32()),
        ("start_s", pa.float64()),
        ("end_s", pa.float64()),
        ("start_frame", pa.int32()),
        ("num_frames", pa.int32()),
        ("method", pa.string()),
        ("policy", pa.string()),
        ("file", pa.string()),
        ("sha256", pa.string()),
        ("size_bytes", pa.int64()),
        ("actions_file", pa.string()),
        ("elements_file", pa.string()),
        ("side_status", pa.string()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
    ]
)


def cut_video(
    path: str | Path, probe_row: Mapping[str, Any], out_dir: Path, config: ClipConfig | None = None
) -> list[dict[str, Any]]:
    """Cut a probed video into clips.

    Writes `<clip_id>.mp4` and, where the source has them, `<clip_id>.actions.parquet` and `<clip_id>.elements.parquet`
    to `out_dir`. A canonical source with an IDR frame at the cut is copied; anything else is decoded, resampled by time
    and encoded. What remains of a shot, shorter than a clip, is a row with verdict rejected and reason short.

    Returns:
        Rows with the columns of `SCHEMA`, in order of time; the same inputs give the same rows and bytes. `start_s` and
        `end_s` are seconds after the first frame. Bad data gives rejected rows, never an exception; `side_status` is
        ok, none, or invalid (a side table that was there and could not be used).
    """
    path, config = Path(path), config or ClipConfig()
    if probe_row["verdict"] == Verdict.REJECTED:
        return [_video_row(probe_row, Reason(probe_row["reason"]))]
    if not path.is_file():
        return [_video_row(probe_row, Reason.MISSING)]
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != probe_row["sha256"]:
            return [_video_row(probe_row, Reason.CHANGED)]
    out_dir.mkdir(parents=True, exist_ok=True)
    copied, rest = _copy_clips(path, probe_row, out_dir, config)
    skip = {span.start_frame for span in copied}
    encoded = rest if rest is not None else encode_clips(path, probe_row, out_dir, config, skip)
    rows = [_row(path, probe_row, span, out_dir, config, "copied") for span in copied]
    rows += [_row(path, probe_row, span, out_dir, config, "encoded") for span in encoded]
    return sorted(rows, key=lambda row: row["start_frame"])


def crashed_row(probe_row: Mapping[str, Any]) -> dict[str, Any]:
    """Row of a video that killed the process that cut it."""
    return _video_row(probe_row, Reason.CRASHED)


def _copy_clips(
    path: Path, probe_row: Mapping[str, Any], out_dir: Path, config: ClipConfig
) -> tuple[list[Span], list[Span] | None]:
    """Clips that were copied, and the remainders; None instead of these where some clips still have to be encoded."""
    if not is_canonical(path, probe_row, width=config.width, height=config.height, fps=config.fps):
        return [], None
    whole, rest = regular_spans(probe_row, config)
    starts = idr_frames(path, [span.start_frame for span in whole])
    spans = [span for span in whole if span.start_frame in starts]
    names = {s.start_frame: out_dir / f"{clip_id_of(probe_row['sha256'], s.start_frame, config)}.mp4" for s in spans}
    copy_spans(path, names, config.num_frames)
    return spans, rest if len(spans) == len(whole) else None


def _video_row(probe_row: Mapping[str, Any], reason: Reason) -> dict[str, Any]:
    """The one row of a video that gave no clips."""
    carried = {name: probe_row.get(name) for name in CARRIED}
    name = hashlib.sha256(f"{probe_row['sha256']}:{probe_row['name']}".encode()).hexdigest()[:16]
    return {
        **dict.fromkeys(SCHEMA.names),
        **carried,
        "clip_id": name,
        "video_sha256": probe_row["sha256"],
        "video": probe_row["name"],
        "shot_id": 0,
        "clip_index": 0,
        "start_frame": 0,
        "num_frames": 0,
        "side_status": "none",
        "verdict": str(Verdict.REJECTED),
        "reason": str(reason),
    }


def _row(
    path: Path, probe_row: Mapping[str, Any], span: Span, out_dir: Path, config: ClipConfig, method: str
) -> dict[str, Any]:
    clip_id = clip_id_of(probe_row["sha256"], span.start_frame, config)
    row = {
        **_video_row(probe_row, Reason.SHORT),
        "clip_id": clip_id,
        "shot_id": span.shot_id,
        "clip_index": span.clip_index,
        "start_frame": span.start_frame,
        "num_frames": len(span.frames),
        "start_s": span.start_s,
        "end_s": span.start_s + len(span.frames) / config.fps,
    }
    if len(span.frames) < config.num_frames:
        return row
    file = out_dir / f"{clip_id}.mp4"
    with file.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    fit = plan_fit(probe_row["width"], probe_row["height"], (config.width, config.height), config.policy)
    row.update(
        method=method,
        policy=fit.policy,
        file=file.name,
        sha256=digest,
        size_bytes=file.stat().st_size,
        verdict=str(Verdict.OK),
        reason=None,
        **_write_side_tables(path, probe_row, span, out_dir, clip_id, fit),
    )
    return row


def _write_side_tables(
    path: Path, probe_row: Mapping[str, Any], span: Span, out_dir: Path, clip_id: str, fit: Fit
) -> dict[str, str | None]:
    makers: dict[str, Callable[[Path], pa.Table]] = {
        "actions": lambda file: align_actions(file, span.frames),
        "elements": lambda file: align_elements(file, span.frames, fit.placement),
    }
    result: dict[str, str | None] = {"side_status": "none"}
    for kind, make in makers.items():
        source = probe_row[f"{kind}_file"]
        if source is None:
            continue
        name = f"{clip_id}.{kind}.parquet"
        try:
            pq.write_table(make(path.with_name(source)), out_dir / name, compression="zstd")
        except SideTableError:
            result["side_status"] = "invalid"
            continue
        result[f"{kind}_file"] = name
        result["side_status"] = "ok" if result["side_status"] != "invalid" else "invalid"
    return result
