"""Built-in detector of interface elements: no model, no hub, only what stays on the screen while the world moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.detector import DetectorIdentity
from g2w.ui.persistence import EdgeStack, edge_stack, presence
from g2w.ui.plates import PlateConfig, find_plates, grow_tape
from g2w.ui.prior import guess_class
from g2w.ui.textlike import text_share
from g2w.video.read import iter_frames

_Box = tuple[int, int, int, int]
_MIN_PART = 6
_RETICLE = 34  # half side of the central square in which all parts are one reticle, pixels of 640x360
_LINE = 16  # largest height of a line of text, pixels of 640x360
DETECTOR = "builtin-detector"
DETECTOR_VERSION = "2"


@dataclass(frozen=True)
class DetectorConfig:
    """Knobs of the detector. Lengths in pixels of `size`, thresholds on the resultant length 0..1."""

    size: tuple[int, int] = (640, 360)
    stride: int = 3
    bias: float = 3.0
    min_motion: float = 4.0
    min_moving: int = 8
    high: float = 0.72
    low: float = 0.5
    window_high: float = 0.84
    num_windows: int = 5
    close: tuple[int, int] = (15, 9)
    min_side: int = 4
    min_edges: int = 24
    min_presence: float = 0.6
    axis_share: float = 0.6
    weapon_strength: float = 0.7
    plates: PlateConfig = field(default_factory=PlateConfig)

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high <= self.window_high < 1:
            raise ValueError(f"DetectorConfig needs 0 < low <= high <= window_high < 1: {self}")
        if self.stride < 1 or self.num_windows < 1 or self.min_moving < 2 or min(self.size) < 90:
            raise ValueError(f"DetectorConfig needs stride, num_windows >= 1, min_moving >= 2, size >= 90: {self}")


@dataclass(frozen=True)
class _Blob:
    """Edges of one element: pixel coordinates in the analysed size, mean persistence, stack positions looked at."""

    box: _Box
    ys: np.ndarray
    xs: np.ndarray
    strength: float
    transient: bool
    mean: np.ndarray


class BuiltinDetector:
    """Implements `g2w.ui.detector.Detector`."""

    def __init__(self, config: DetectorConfig | None = None) -> None:
        self._config = config or DetectorConfig()
        self._identity = DetectorIdentity(DETECTOR, DETECTOR_VERSION, settings=asdict(self._config))

    @property
    def identity(self) -> DetectorIdentity:
        """Version and every threshold."""
        return self._identity

    def propose(self, clip_path: str | Path) -> list[dict[str, Any]]:
        """Rows of one clip, all accepted."""
        known = {"status": "ok", "reason": None, "detector": self._identity.label}
        return [{**row, **known} for row in propose(clip_path, self._config)]


def propose(clip_path: str | Path, config: DetectorConfig | None = None) -> list[dict[str, Any]]:
    """Boxes that look like interface elements.

    Args:
        clip_path: canonical clip; any size is analysed at `config.size` and reported in 1280x720 pixels.

    Returns:
        Rows x, y, w, h (int, 1280x720), cls (guess by shape and place), cls_confidence, anchor (always screen),
        confidence (0..1: is it interface?), first_frame, last_frame (clip indices, seen in between), transient, detector;
        most confident first.
        Empty when the world hardly moves: then nothing can be told apart.
    """
    config = config or DetectorConfig()
    stack = edge_stack(_sampled(clip_path, config), bias=config.bias, min_motion=config.min_motion)
    if len(stack.moving) < config.min_moving:
        return []
    blobs = _merged(_blobs(stack, stack.moving, config.high, config, transient=False), config)
    for first, last in _windows(len(stack.frames), config.num_windows):
        moving = [k for k in stack.moving if first <= k < last]
        if len(moving) >= config.min_moving:
            blobs.extend(
                _new_ones(_merged(_blobs(stack, moving, config.window_high, config, transient=True), config), blobs)
            )
    blobs = _merged(blobs, config, lines_only=True)  # two lines may have been shown one after the other
    rows = [_row(blob, stack, config) for blob in _completed(blobs, stack, config)]
    return sorted((row for row in rows if row is not None), key=lambda row: (-row["confidence"], row["y"], row["x"]))


def _sampled(clip_path: str | Path, config: DetectorConfig) -> Iterator[tuple[int, np.ndarray]]:
    for index, frame in enumerate(iter_frames(clip_path, size=config.size)):
        if index % config.stride == 0:
            yield index, frame


def _windows(count: int, parts: int) -> list[tuple[int, int]]:
    """Half-overlapping windows of count / parts frames; none for a single part."""
    length = count / parts
    return [(round(k * length / 2), round((k / 2 + 1) * length)) for k in range(2 * parts - 1)] if parts > 1 else []


def _blobs(stack: EdgeStack, chosen: Any, high: float, config: DetectorConfig, *, transient: bool) -> list[_Blob]:
    """Persistent edges, joined into elements: glyphs and bars a few pixels apart belong together."""
    mean = stack.resultant(chosen)
    length = np.hypot(mean[..., 0], mean[..., 1])
    weak = _hysteresis(length, config.low, high)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, config.close)
    joined = cv2.morphologyEx(np.pad(weak, 20), cv2.MORPH_CLOSE, kernel)[20:-20, 20:-20]
    _, labels = cv2.connectedComponents(joined, connectivity=8)
    labels = np.where(weak > 0, labels, 0)
    found = []
    for label in np.unique(labels[labels > 0]):
        ys, xs = np.nonzero(labels == label)
        x0, y0, x1, y1 = int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1
        if len(ys) < _MIN_PART:
            continue
        strength = float(np.sort(length[ys, xs])[len(ys) // 4 :].mean())
        if not _is_weapon((x0, y0, x1, y1), mean[ys, xs], strength, transient, config):
            found.append(_Blob((x0, y0, x1, y1), ys, xs, strength, transient, mean))
    return found


def _hysteresis(length: np.ndarray, low: float, high: float) -> np.ndarray:
    """Pixels above `low` that touch a pixel above `high`, uint8 0 / 1."""
    _, labels = cv2.connectedComponents((length > low).astype(np.uint8), connectivity=8)
    keep = np.zeros(int(labels.max()) + 1, np.uint8)
    keep[labels[length > high]] = 1
    keep[0] = 0
    return keep[labels]


def _is_weapon(box: _Box, directions: np.ndarray, strength: float, transient: bool, config: DetectorConfig) -> bool:
    """The first-person model stands on the lower edge near the middle and has curved outlines, not upright ones.

    It bobs while walking, which its persistence already shows; turning on the spot leaves it at rest, hence this rule.
    """
    width, height = config.size
    x0, y0, x1, y1 = box
    x, y = (x0 + x1) / 2 / width, (y0 + y1) / 2 / height
    upright = float((np.max(np.abs(directions), axis=1) > 0.96 * np.linalg.norm(directions, axis=1)).mean())
    if 0.35 < x < 0.65 and y > 0.6 and strength < config.weapon_strength and upright < config.axis_share + 0.2:
        return True  # a part of it, seen at rest for a while
    if y1 < height - 3 or not 0.28 < x < 0.78:
        return False
    return transient or (y1 - y0 >= 0.1 * height and upright < config.axis_share)


def _completed(blobs: list[_Blob], stack: EdgeStack, config: DetectorConfig) -> list[_Blob]:
    """Fragments on one plate become one element as large as the plate, and base lines the tapes they belong to."""
    plates, busyness = find_plates(stack.liveliness(), config.plates), stack.busyness()
    alone: list[_Blob] = []
    on_plate: dict[int, list[_Blob]] = {}
    for blob in blobs:
        label = 0 if blob.transient else plates.under(blob.ys, blob.xs, config.plates.min_inside)
        if label:
            on_plate.setdefault(label, []).append(blob)
        else:
            alone.append(replace(blob, box=grow_tape(blob.box, busyness, config.plates)))
    for label, parts in on_plate.items():
        whole = parts[0]
        for part in parts[1:]:
            whole = _union(whole, part)
        box, plate = whole.box, plates.boxes[label - 1]
        if len(parts) > 1 or _shared(box, plate) * _area(box) < 0.7 * _area(plate):
            box = (min(box[0], plate[0]), min(box[1], plate[1]), max(box[2], plate[2]), max(box[3], plate[3]))
        alone.append(replace(whole, box=box))
    return alone


def _area(box: _Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _union(a: _Blob, b: _Blob) -> _Blob:
    ys, xs = np.concatenate([a.ys, b.ys]), np.concatenate([a.xs, b.xs])
    box = (min(a.box[0], b.box[0]), min(a.box[1], b.box[1]), max(a.box[2], b.box[2]), max(a.box[3], b.box[3]))
    strength = (a.strength * len(a.ys) + b.strength * len(b.ys)) / len(ys)
    return _Blob(box, ys, xs, strength, a.transient, a.mean)


def _merged(blobs: list[_Blob], config: DetectorConfig, *, lines_only: bool = False) -> list[_Blob]:
    """Join what is nested (marks inside a map), stands in one row with a small gap (an icon and its number), or is the
    next line of a text."""
    belong = _are_lines if lines_only else _belong
    todo, done = sorted(blobs, key=lambda blob: blob.box), []
    while todo:
        blob = todo.pop()
        partner = next((other for other in todo if belong(blob.box, other.box, config.size)), None)
        if partner is None:
            done.append(blob)
            continue
        todo.remove(partner)
        todo.append(_union(blob, partner))
    return [blob for blob in done if _is_large(blob, config)]


def _is_large(blob: _Blob, config: DetectorConfig) -> bool:
    x0, y0, x1, y1 = blob.box
    return len(blob.ys) >= config.min_edges and min(x1 - x0, y1 - y0) >= config.min_side


def _belong(a: _Box, b: _Box, size: tuple[int, int]) -> bool:
    if _shared(a, b) > 0.5:
        return True
    reach = _RETICLE * size[0] / 640
    center = (size[0] / 2 - reach, size[1] / 2 - reach, size[0] / 2 + reach, size[1] / 2 + reach)
    if all(
        box[0] >= center[0] and box[1] >= center[1] and box[2] <= center[2] and box[3] <= center[3] for box in (a, b)
    ):
        return True
    if _are_lines(a, b, size):
        return True
    low = min(a[3] - a[1], b[3] - b[1])
    in_row = min(a[3], b[3]) - max(a[1], b[1]) >= 0.7 * low and max(a[3] - a[1], b[3] - b[1]) < 2 * low
    return in_row and max(a[0], b[0]) - min(a[2], b[2]) <= 0.75 * low


def _are_lines(a: _Box, b: _Box, size: tuple[int, int]) -> bool:
    """Lines of one text: as high as each other, set flush on one side, and less than two of them apart."""
    heights = (a[3] - a[1], b[3] - b[1])
    flush = abs(a[0] - b[0]) <= 3 or abs(a[2] - b[2]) <= 3
    gap = max(a[1], b[1]) - min(a[3], b[3])
    return (
        flush
        and max(heights) <= _LINE * size[1] / 360
        and max(heights) <= 1.5 * min(heights)
        and 0 <= gap <= 1.6 * min(heights)
    )


def _new_ones(candidates: list[_Blob], known: list[_Blob]) -> list[_Blob]:
    """Candidates of a window that do not touch an element found before."""
    return [c for c in candidates if all(_shared(c.box, k.box) < 0.2 for k in known)]


def _shared(a: _Box, b: _Box) -> float:
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    return w * h / min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))


def _row(blob: _Blob, stack: EdgeStack, config: DetectorConfig) -> dict[str, Any] | None:
    shown = presence(stack, blob.mean, blob.ys, blob.xs) > config.min_presence
    if not shown.any():
        return None
    first, last = int(np.argmax(shown)), len(shown) - 1 - int(np.argmax(shown[::-1]))
    steady = float(shown[first : last + 1].mean())
    sx, sy = WIDTH / config.size[0], HEIGHT / config.size[1]
    # the gradient filter sees an edge one pixel early on either side
    x0, y0, x1, y1 = blob.box
    x0, y0 = (x0 + 1 if x0 else 0), (y0 + 1 if y0 else 0)
    x1, y1 = (x1 - 1 if x1 < config.size[0] else x1), (y1 - 1 if y1 < config.size[1] else y1)
    x, y, w, h = round(x0 * sx), round(y0 * sy), round((x1 - x0) * sx), round((y1 - y0) * sy)
    text = text_share(stack.picture[y0:y1, x0:x1])
    cls, cls_confidence = guess_class(x, y, w, h, transient=blob.transient, text=text)
    trust = min(1.0, max(0.0, (blob.strength - config.low) / 0.4))
    return {
        "x": x,
        "y": y,
        "w": w,
        "h": h,
        "cls": cls,
        "cls_confidence": round(cls_confidence, 4),
        # what follows the world or the pointer leaves no edge that stays
        "anchor": "screen",
        "confidence": round(trust * steady * min(1.0, len(stack.moving) / 16), 4),
        "first_frame": stack.frames[first],
        "last_frame": stack.frames[last],
        "transient": blob.transient,
        "detector": f"{DETECTOR}@{DETECTOR_VERSION}",
    }
