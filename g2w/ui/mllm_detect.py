"""The detector that asks an MLLM: a few frames of a clip, boxes and classes as JSON, joined over time into elements."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from g2w.lineage.canonical import sha256_json
from g2w.ui.boxes import iou
from g2w.ui.coordinates import SENT_SIZE, Coordinates, convention_of
from g2w.ui.detector import DetectorIdentity, DetectReason
from g2w.ui.mllm_parse import ParsedBox, ReplyError, parse_reply
from g2w.ui.mllm_prompt import PROMPT_VERSION, SYSTEM, reply_schema, user_prompt
from g2w.ui.vision import VisionError, VisionModel, VisionRequest
from g2w.video.read import iter_frames

NAME, VERSION = "mllm-detector", "2"


@dataclass(frozen=True)
class MllmConfig:
    """What is asked of the model. `num_frames` per clip, evenly spaced; boxes of two frames that overlap by `join_iou` are
    one element; `unit`: None means the one the model is known for."""

    num_frames: int = 3
    join_iou: float = 0.5
    unit: Coordinates | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.num_frames <= 16 or not 0 < self.join_iou < 1:
            raise ValueError(f"MllmConfig needs num_frames in 1..16 and join_iou between 0 and 1: {self}")


@dataclass
class _Track:
    boxes: list[ParsedBox]
    frames: list[int]


class MllmDetector:
    """Implements `g2w.ui.detector.Detector` on any `VisionModel`."""

    def __init__(self, model: VisionModel, config: MllmConfig | None = None) -> None:
        self._model = model
        self._config = config or MllmConfig()
        self._schema = reply_schema()
        name = str(model.identity["model"])
        self._unit = self._config.unit or convention_of(name)
        self._identity = DetectorIdentity(
            NAME,
            VERSION,
            model=name,
            prompt_sha256=sha256_json([PROMPT_VERSION, SYSTEM, user_prompt("id", self._unit)]),
            schema_sha256=sha256_json(self._schema),
            settings={**asdict(self._config), "unit": str(self._unit), "vision": dict(model.identity)},
        )

    @property
    def identity(self) -> DetectorIdentity:
        """Prompt, schema, model and unit, hashed."""
        return self._identity

    def propose(self, clip_path: str | Path) -> list[dict[str, Any]]:
        """Rows of one clip; a frame without a usable answer is a row of status "error"."""
        frames = self._frames(clip_path)
        if not frames:
            return [self._failure(DetectReason.UNREADABLE, None)]
        rows: list[dict[str, Any]] = []
        tracks: list[_Track] = []
        answered = 0
        for index, frame in frames:
            found = self._look(index, frame)
            if isinstance(found, DetectReason):
                rows.append(self._failure(found, index))
                continue
            answered += 1
            rows.extend(self._rejection(box, index) for box in found if box.reason is not None)
            _join(tracks, index, [box for box in found if box.reason is None], self._config.join_iou)
        good = [self._row(track, answered, frames) for track in tracks]
        return sorted(good, key=lambda row: (-row["confidence"], row["y"], row["x"])) + rows

    def _frames(self, clip_path: str | Path) -> list[tuple[int, np.ndarray]]:
        """Evenly spaced frames at the size that is sent; empty for a file that cannot be read."""
        from av.error import FFmpegError

        try:
            total = sum(1 for _ in iter_frames(clip_path, size=(32, 32)))
            count = min(self._config.num_frames, total)
            wanted = {int((k + 0.5) * total / count) for k in range(count)}
            return [
                # enlarged by less than a percent, so that the server has no reason to resize
                (index, cv2.resize(frame, SENT_SIZE, interpolation=cv2.INTER_CUBIC))
                for index, frame in enumerate(iter_frames(clip_path))
                if index in wanted
            ]
        except (FFmpegError, ValueError, FileNotFoundError):
            return []

    def _look(self, index: int, frame: np.ndarray) -> list[ParsedBox] | DetectReason:
        """Boxes of one frame. A reply that cannot be used is sent back once, with what is wrong with it."""
        image_id = f"f{index:05d}"
        complaint: tuple[str, str] | None = None
        for _ in range(2):
            request = VisionRequest(SYSTEM, user_prompt(image_id, self._unit), frame, self._schema, complaint)
            try:
                reply = self._model.ask(request)
                return parse_reply(reply.text, reply.finish, image_id, self._unit)
            except VisionError as error:
                return error.reason
            except ReplyError as error:
                reason, complaint = error.reason, (reply.text[:4000], str(error))
        return reason

    def _row(self, track: _Track, answered: int, frames: list[tuple[int, np.ndarray]]) -> dict[str, Any]:
        boxes = [box.box for box in track.boxes if box.box is not None]
        x, y, w, h = (int(value) for value in np.median(boxes, axis=0).round())
        cls, votes = Counter(box.cls for box in track.boxes).most_common(1)[0]
        scores = [box.score for box in track.boxes if box.score is not None]
        everywhere = len(track.frames) == answered
        return {
            "status": "ok",
            "reason": None,
            **{"x": x, "y": y, "w": w, "h": h},
            "cls": cls,
            "cls_confidence": round(votes / len(track.boxes), 4),
            "anchor": Counter(box.anchor for box in track.boxes).most_common(1)[0][0],
            # the model's own score, which nothing has calibrated, times the share of frames that agree
            "confidence": round(float(np.mean(scores)) * len(track.frames) / answered, 4),
            "first_frame": 0 if everywhere else track.frames[0],
            "last_frame": frames[-1][0] if everywhere else track.frames[-1],
            "transient": not everywhere,
            "detector": self._identity.label,
        }

    def _rejection(self, box: ParsedBox, index: int) -> dict[str, Any]:
        place = _box_of(box) if box.box is not None else {}
        return {**self._failure(box.reason, index), **place, "status": "rejected", "cls": box.cls, "anchor": box.anchor}

    def _failure(self, reason: DetectReason | None, index: int | None) -> dict[str, Any]:
        return {
            "status": "error",
            "reason": str(reason),
            **dict.fromkeys(("x", "y", "w", "h", "cls", "cls_confidence", "anchor", "confidence", "transient")),
            "first_frame": index,
            "last_frame": index,
            "detector": self._identity.label,
        }


def _box_of(box: ParsedBox) -> dict[str, int]:
    return dict(zip(("x", "y", "w", "h"), box.box or (0, 0, 0, 0), strict=True))


def _join(tracks: list[_Track], index: int, boxes: list[ParsedBox], join_iou: float) -> None:
    """Add the boxes of a frame to the tracks they continue, best overlap first; two boxes of a frame never join."""
    pairs: list[tuple[float, int, int]] = []
    for b, box in enumerate(boxes):
        for t, track in enumerate(tracks):
            overlap = iou(_box_of(track.boxes[-1]), _box_of(box))
            if overlap >= join_iou:
                pairs.append((overlap, t, b))
    used_tracks: set[int] = set()
    used_boxes: set[int] = set()
    for _, t, b in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if t not in used_tracks and b not in used_boxes:
            tracks[t].boxes.append(boxes[b])
            tracks[t].frames.append(index)
            used_tracks.add(t)
            used_boxes.add(b)
    tracks.extend(_Track([box], [index]) for b, box in enumerate(boxes) if b not in used_boxes)
