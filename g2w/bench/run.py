"""Judging one item: truth is decoded once, every system's output is held against it, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from g2w.bench.designed import judge_reliability
from g2w.bench.items import boxes_by_frame, clip_box, item_times, iter_scenes, read_elements
from g2w.bench.judge import VERDICTS, FrameVerdict, Judge, JudgeError, JudgeId, Status
from g2w.bench.pixel_judge import PixelJudge
from g2w.bench.sampling import sampled_frames
from g2w.bench.scoring import controls_ok, score
from g2w.lineage.canonical import sha256_file

__all__ = ["controls_ok", "error_rows", "judge_item", "judge_reliability", "score"]

_FEATURE_DIGITS = 5
Row = dict[str, Any]


def judge_item(
    item: Mapping[str, Any],
    outputs: Mapping[str, str | Path],
    judge: Judge | None = None,
    *,
    sets_dir: str | Path,
    systems: Sequence[str] | None = None,
) -> list[Row]:
    """Verdict rows of every system on one item; pure, for a process pool.

    Args:
        item: row of `items.parquet`.
        outputs: system -> video file.
        judge: who judges; the pixel judge if None.
        sets_dir: folder that holds the sets.
        systems: systems that must have rows; one without an output gets error rows. None: those of `outputs`.

    Returns:
        Rows of schema `VERDICTS`, by system, time and element. Bad data gives rows with status error or missing.
    """
    # A pool runs one item per core; threads inside would only fight each other.
    cv2.setNumThreads(1)
    judge = judge or PixelJudge()
    names = list(systems) if systems is not None else sorted(outputs)
    rows: dict[str, list[Row]] = {name: [] for name in names}
    ready, failed = _open_outputs(item, {name: outputs[name] for name in names if name in outputs})
    failed |= dict.fromkeys(set(names) - set(outputs), JudgeError.NO_OUTPUT)
    try:
        for index, scene, judged in iter_scenes(sets_dir, item):
            for name in list(ready):
                try:
                    frame = next(ready[name])
                except (av.error.FFmpegError, ValueError):
                    failed[name] = JudgeError.UNREADABLE_OUTPUT
                    del ready[name]
                    continue
                verdict = judge.ask(scene, frame) if frame is not None else None
                rows[name] += _rows(item, name, index, judged, verdict)
    except (av.error.FFmpegError, FileNotFoundError, ValueError):
        failed |= dict.fromkeys(names, JudgeError.UNREADABLE_TRUTH)
    for name, error in failed.items():
        rows[name] = error_rows(item, [name], error, sets_dir=sets_dir)
    hashes = {name: sha256_file(path) for name, path in outputs.items() if name in rows and Path(path).is_file()}
    return [_complete(row, judge.identity(), hashes.get(name)) for name in names for row in rows[name]]


def error_rows(
    item: Mapping[str, Any], systems: Sequence[str], error: JudgeError, *, sets_dir: str | Path
) -> list[Row]:
    """Rows with status error for everything that should have been judged: an error is never a zero."""
    grouped: dict[int, list[dict[str, Any]]] = {}
    # Without its element table an item still has frames, and these still count as errors.
    with suppress(FileNotFoundError):
        grouped = boxes_by_frame(read_elements(sets_dir, item))
    rows = []
    for name in systems:
        for time in item_times(item):
            index = round(time * float(item["fps"]))
            judged = [row for row in grouped.get(index, []) if row["visible"] and clip_box(row) is not None]
            rows += _rows(item, name, index, judged, None, error)
    return [_complete(row, None, None) for row in rows]


def _open_outputs(
    item: Mapping[str, Any], outputs: Mapping[str, str | Path]
) -> tuple[dict[str, Iterator[np.ndarray | None]], dict[str, JudgeError]]:
    ready, failed, times = {}, {}, item_times(item)
    for name, path in outputs.items():
        if Path(path).is_file():
            ready[name] = sampled_frames(path, times)
        else:
            failed[name] = JudgeError.NO_OUTPUT
    return ready, failed


def _rows(
    item: Mapping[str, Any],
    system: str,
    index: int,
    judged: Sequence[Mapping[str, Any]],
    verdict: FrameVerdict | None,
    error: JudgeError | None = None,
) -> list[Row]:
    """The frame row and its element rows; without a verdict they are missing, or errors."""
    status = Status.OK if verdict is not None else Status.ERROR if error is not None else Status.MISSING
    key = {
        "suite": item["suite"],
        "system": system,
        "item_id": item["item_id"],
        "game": item["game"],
        "frame_index": index,
        "t_ms": round(index * 1000 / float(item["fps"])),
        "status": str(status),
        "error": str(error) if error is not None else None,
    }
    frame: Row = {**key, "level": "frame"}
    if verdict is not None:
        frame |= {
            "background": str(verdict.background),
            "new_overlay": verdict.new_overlay,
            **_rounded(verdict.features),
        }
    rows = [frame]
    for position, element in enumerate(judged):
        box = clip_box(element)
        names = {name: element[name] for name in ("element_id", "track_id", "cls")}
        row: Row = {**key, "level": "element", **names, **dict(zip("xywh", box or (), strict=False))}
        if verdict is not None:
            answer = verdict.elements[position]
            row |= {
                "state": str(answer.state),
                "artifact": str(answer.artifact),
                "evidence": answer.evidence,
                **_rounded(answer.features),
            }
        rows.append(row)
    return rows


def _rounded(features: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), _FEATURE_DIGITS) for name, value in features.items()}


def _complete(row: Row, identity: JudgeId | None, output_sha: str | None) -> Row:
    """All columns of the schema; who judged and which bytes."""
    known = (
        {"judge_sha": identity.sha, "canvas": "x".join(map(str, identity.canvas)), "output_sha": output_sha}
        if identity
        else {}
    )
    return {**dict.fromkeys(VERDICTS.names), **row, **known}
