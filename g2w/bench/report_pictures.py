"""Before / after cards: what went in, what every system made of it, the truth, and where a system is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from g2w.bench.items import item_times
from g2w.bench.metrics import element_scores
from g2w.bench.report_views import kind_of, number
from g2w.bench.sampling import sampled_frames
from g2w.video.sheet import save_webp

SIZE = (960, 540)
DETAIL_SIZE = (480, 270)
DETAIL_WINDOW = (320, 180)
_ERROR_FLOOR = 6
FOLDER = "pictures"
Row = Mapping[str, Any]


def make_cards(
    out_dir: Path,
    items: Sequence[Row],
    sets_dir: Path,
    outputs: Mapping[str, str],
    verdicts: Iterable[Row],
    *,
    per_suite: int,
) -> list[dict[str, Any]]:
    """Write pictures beside the report and return one card per chosen item.

    Per suite the items are taken from the worst AAR of the best mask-free system upward, evenly over the ranking, so
    that the failures are seen first and successes are seen too. The moment is the middle sampled frame.
    """
    rows = list(verdicts)
    cards = []
    for suite in sorted({item["suite"] for item in items}):
        own = [item for item in items if item["suite"] == suite and item["num_elements"]]
        systems = sorted({row["system"] for row in rows if row["suite"] == suite}, key=_rank)
        scores = _frame_scores([row for row in rows if row["suite"] == suite])
        ours = [system for system in systems if kind_of(system) == "mask-free"]
        ranked = sorted(own, key=lambda item: (_item_score(scores, item, ours), item["item_id"]))
        step = max(1, -(-len(ranked) // per_suite))
        cards += [_card(out_dir, item, sets_dir, outputs, systems, scores) for item in ranked[::step][:per_suite]]
    return cards


def _rank(system: str) -> tuple[int, str]:
    return {"mask-free": 0, "true masks": 1, "control": 2}[kind_of(system)], system


def _frame_scores(rows: Sequence[Row]) -> dict[tuple[str, str, int], list[float]]:
    """(system, item, t_ms) -> w of every element, in percent."""
    scores: dict[tuple[str, str, int], list[float]] = {}
    for row in rows:
        if row["level"] == "element":
            scores.setdefault((row["system"], row["item_id"], row["t_ms"]), []).append(100 * element_scores(row)["aar"])
    return scores


def _item_score(scores: Mapping[tuple[str, str, int], list[float]], item: Row, systems: Sequence[str]) -> float:
    values = {
        s: [np.mean(v) for (name, item_id, _), v in scores.items() if name == s and item_id == item["item_id"]]
        for s in systems
    }
    return max((float(np.mean(v)) for v in values.values() if v), default=0.0)


def _card(
    out_dir: Path,
    item: Row,
    sets_dir: Path,
    outputs: Mapping[str, str],
    systems: Sequence[str],
    scores: Mapping[tuple[str, str, int], list[float]],
) -> dict[str, Any]:
    times = item_times(item)
    moment = times[len(times) // 2]
    source = _frame(sets_dir / str(item["ui_file"]), moment)
    truth = _frame(sets_dir / str(item["clean_file"]), moment)
    frames: dict[str, tuple[np.ndarray | None, str]] = {"input": (source, "")}
    for system in (s for s in systems if kind_of(s) != "control"):
        path = outputs.get(f"{system}/{item['item_id']}")
        values = scores.get((system, str(item["item_id"]), round(moment * 1000)))
        note = f"AAR {number(float(np.mean(values)))} in this frame" if values else kind_of(system)
        frame = _frame(Path(path), moment) if path else None
        frames[system] = (frame, note)
        if kind_of(system) == "mask-free" and frame is not None and truth is not None:
            frames[f"{system}: error"] = (error_map(frame, truth), "bright: far from the truth")
    frames["truth"] = (truth, "")
    shown = {name: (frame, note) for name, (frame, note) in frames.items() if frame is not None}
    window = _window(shown["input"][0], truth) if truth is not None and "input" in shown else None
    return {
        "item_id": item["item_id"],
        "suite": item["suite"],
        "game": item["game"],
        "t_s": f"{moment:.1f}",
        "pictures": [_save(out_dir, item, name, frame, SIZE, note) for name, (frame, note) in shown.items()],
        "details": [
            _save(out_dir, item, f"{name} close up", frame[window], DETAIL_SIZE, "")
            for name, (frame, _) in shown.items()
            if window is not None
        ],
    }


def _frame(path: Path, time_s: float) -> np.ndarray | None:
    return next(iter(sampled_frames(path, [time_s])))


def _window(source: np.ndarray, truth: np.ndarray) -> tuple[slice, slice]:
    """The 320 x 180 window that holds most of the interface: where input and truth differ most."""
    difference = cv2.absdiff(source, truth).max(axis=2).astype(np.float32)
    width, height = DETAIL_WINDOW
    total = cv2.boxFilter(difference, -1, (width, height), normalize=False, borderType=cv2.BORDER_CONSTANT)
    center_y, center_x = np.unravel_index(int(total.argmax()), total.shape)
    top = int(np.clip(center_y - height // 2, 0, difference.shape[0] - height))
    left = int(np.clip(center_x - width // 2, 0, difference.shape[1] - width))
    return slice(top, top + height), slice(left, left + width)


def _save(out_dir: Path, item: Row, label: str, frame: np.ndarray, size: tuple[int, int], note: str) -> dict[str, str]:
    name = "".join(c if c.isalnum() else "-" for c in label)
    file = f"{FOLDER}/{item['suite']}-{item['item_id']}-{name}.webp"
    grows = size[0] > frame.shape[1]
    save_webp(out_dir / file, cv2.resize(frame, size, interpolation=cv2.INTER_CUBIC if grows else cv2.INTER_AREA))
    return {"file": file, "label": label, "note": note}


def error_map(frame: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Where and how much a picture differs from the truth: uint8 RGB heat, white from about 64 gray levels on.

    The first 6 levels are dark: that much is the noise of two encodings.
    """
    difference = cv2.subtract(cv2.absdiff(frame, truth).max(axis=2), np.full(frame.shape[:2], _ERROR_FLOOR, np.uint8))
    heat = cv2.applyColorMap(cv2.convertScaleAbs(difference, alpha=4), cv2.COLORMAP_INFERNO)
    return cv2.cvtColor(heat, cv2.COLOR_BGR2RGB)
