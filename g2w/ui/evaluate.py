"""How good are proposals? Precision and recall against the true boxes of twins, one to one, by class and by size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from g2w.ui.boxes import Box, iou

MIN_IOU = 0.5
MIN_AREA_PX = 16
SMALL_PX, LARGE_PX = 48**2, 128**2
"""Bounds of the three sizes, pixels of 1280x720: a reticle is small, an ammo counter medium, a radar large."""
SIZES = ("small", "medium", "large")


@dataclass(frozen=True)
class Match:
    """Proposals and true elements of one clip, paired one to one.

    `pairs`: (proposal, truth) positions; `misses`: truth positions without a proposal; `alarms`: proposals without truth.
    """

    proposals: tuple[Box, ...]
    truth: tuple[Box, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def misses(self) -> tuple[int, ...]:
        """Positions of true elements that nothing found."""
        return tuple(sorted(set(range(len(self.truth))) - {t for _, t in self.pairs}))

    @property
    def alarms(self) -> tuple[int, ...]:
        """Positions of proposals where there is no element."""
        return tuple(sorted(set(range(len(self.proposals))) - {p for p, _ in self.pairs}))


@dataclass(frozen=True)
class Rate:
    """Counts of one slice; a rate of nothing is None, not 0.

    `hits` true elements found of `truth`, `true_proposals` right ones of `proposals` (they differ by class, where a
    proposal is filed under the class it guesses), `right_class` of `hits`.
    """

    hits: int
    truth: int
    true_proposals: int
    proposals: int
    right_class: int

    @property
    def recall(self) -> float | None:
        """Share of true elements found."""
        return self.hits / self.truth if self.truth else None

    @property
    def precision(self) -> float | None:
        """Share of proposals that are elements."""
        return self.true_proposals / self.proposals if self.proposals else None

    @property
    def class_accuracy(self) -> float | None:
        """Share of found elements whose class is right."""
        return self.right_class / self.hits if self.hits else None


def true_elements(
    rows: Iterable[Mapping[str, Any]], first: int, last: int, *, min_frames: int = 15
) -> list[dict[str, Any]]:
    """What a detector should find in the frames first .. last of an episode.

    Args:
        rows: element rows of a twin (frame_index, element_id, cls, x, y, w, h, visible).
        first, last: inclusive frame range of the clip.
        min_frames: an element seen in fewer frames is not asked for.

    Returns:
        element_id, cls, x, y, w, h (median over the frames that show it), num_frames, transient; frames count from `first`.
    """
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if first <= row["frame_index"] <= last and row["visible"] and row["w"] * row["h"] >= MIN_AREA_PX:
            seen.setdefault(row["element_id"], []).append(row)
    found = []
    for element_id, shown in sorted(seen.items()):
        if len(shown) < min_frames:
            continue
        corners = np.median([[r["x"], r["y"], r["x"] + r["w"], r["y"] + r["h"]] for r in shown], axis=0).round()
        x0, y0, x1, y1 = (int(value) for value in corners)
        found.append(
            {
                "element_id": element_id,
                "cls": shown[0]["cls"],
                **{"x": x0, "y": y0, "w": x1 - x0, "h": y1 - y0},
                "num_frames": len(shown),
                "transient": len(shown) < last - first + 1,
            }
        )
    return found


def match(proposals: Sequence[Box], truth: Sequence[Box], *, min_iou: float = MIN_IOU) -> Match:
    """Pair proposals with true elements: the most pairs first, then the largest sum of overlaps. The class is not asked."""
    if not proposals or not truth:
        return Match(tuple(proposals), tuple(truth), ())
    from scipy.optimize import linear_sum_assignment

    overlap = np.array([[iou(p, t) for t in truth] for p in proposals])
    # a pair is worth more than any sum of overlaps
    worth = np.where(overlap >= min_iou, overlap + min(overlap.shape), 0.0)
    rows, columns = linear_sum_assignment(worth, maximize=True)
    pairs = [(int(p), int(t)) for p, t in zip(rows, columns, strict=True) if overlap[p, t] >= min_iou]
    return Match(tuple(proposals), tuple(truth), tuple(sorted(pairs)))


def size_of(box: Box) -> str:
    """small, medium or large, by area."""
    area = box["w"] * box["h"]
    return SIZES[0] if area < SMALL_PX else SIZES[1] if area < LARGE_PX else SIZES[2]


def rate(matches: Iterable[Match], key: Callable[[Box], bool] = lambda box: True) -> Rate:
    """Counts over clips of the elements and proposals that `key` picks."""
    hits = truth = right = proposals = true_proposals = 0
    for item in matches:
        found = {t: p for p, t in item.pairs}
        taken = {p for p, _ in item.pairs}
        for position, element in enumerate(item.truth):
            if key(element):
                truth += 1
                hits += position in found
                right += position in found and item.proposals[found[position]]["cls"] == element["cls"]
        for position, proposal in enumerate(item.proposals):
            if key(proposal):
                proposals += 1
                true_proposals += position in taken
    return Rate(hits, truth, true_proposals, proposals, right)


def by_class(matches: Sequence[Match]) -> dict[str, Rate]:
    """A rate per class: recall by the true class, precision by the guessed one."""
    names = sorted({box["cls"] for item in matches for box in (*item.proposals, *item.truth)})
    return {name: rate(matches, partial(_has_class, name)) for name in names}


def by_size(matches: Sequence[Match]) -> dict[str, Rate]:
    """A rate per size of the box itself."""
    return {size: rate(matches, partial(_has_size, size)) for size in SIZES}


def _has_class(name: str, box: Box) -> bool:
    return bool(box["cls"] == name)


def _has_size(size: str, box: Box) -> bool:
    return size_of(box) == size
