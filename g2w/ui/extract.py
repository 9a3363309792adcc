"""From proposals to assets: the element is cut out of its clip with its own alpha, or refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.boxes import iou
from g2w.ui.draw import Asset
from g2w.ui.matting import Matte, MatteReason, MattingConfig, crop_box, moving_subset, solve_matte
from g2w.video.read import iter_frames

Row = Mapping[str, Any]


class ExtractReason(StrEnum):
    """Why a proposal is not an accepted asset; the reasons of `MatteReason` come on top."""

    NOT_TRAIN_SPLIT = "not_train_split"
    NOT_SCREEN_ANCHORED = "not_screen_anchored"
    DUPLICATE = "duplicate"
    TRIES_SPENT = "tries_spent"
    NEAR_DUPLICATE = "near_duplicate"
    LOW_CONFIDENCE = "low_confidence"
    UNSURE_CLASS = "unsure_class"
    UNSURE_ALPHA = "unsure_alpha"
    REJECTED_BY_REVIEWER = "rejected_by_reviewer"
    VOTES_OPEN = "votes_open"


@dataclass(frozen=True)
class ExtractConfig:
    """Thresholds of automatic acceptance (0..1); what is below waits for a person (`needs_review`).

    Attributes:
        duplicate_iou: proposals of one game that overlap by more are one element, which is cut once.
        tries: of the proposals of one element, how many are tried before it is given up: each may cost a clip's decode.
        near_duplicate: assets of one class whose looks (`g2w.ui.similar`) are nearer are one. Fitted on planted duplicates
            by `benchmarks/fit_duplicates.py`; the table is in docs/ui.md.
    """

    accept_confidence: float = 0.6
    accept_class: float = 0.7
    accept_alpha_error: float = 0.15
    duplicate_iou: float = 0.6
    tries: int = 3
    near_duplicate: float = 0.175
    stride: int = 2
    grow_px: int = 3
    matting: MattingConfig = field(default_factory=MattingConfig)

    def __post_init__(self) -> None:
        for name in ("accept_confidence", "accept_class", "accept_alpha_error", "duplicate_iou"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"ExtractConfig.{name} is {getattr(self, name)}, must be in 0..1")
        if self.stride < 1 or self.grow_px < 0 or self.tries < 1 or self.near_duplicate < 0:
            raise ValueError(f"ExtractConfig needs stride, tries >= 1 and grow_px, near_duplicate >= 0: {self}")


@dataclass(frozen=True)
class Extraction:
    """A proposal's fate: verdict `accepted`, `needs_review` or `rejected`, the asset where one could be cut, and the id of
    the asset that stands for it where it is a duplicate."""

    proposal: Row
    verdict: str
    reason: str | None
    asset: Asset | None
    duplicate_of: str | None = None


def extract(
    proposals: Sequence[Row], clip_paths: Mapping[str, str | Path], config: ExtractConfig | None = None
) -> list[Extraction]:
    """Cut proposals out of their clips.

    Of the proposals of one element the best one is cut. Where that fails, because its clip shows too little behind the
    element, the next best is tried.

    Args:
        proposals: rows of `g2w.ui.detect.propose` with clip_id, game, split, licence added. Only `train` clips are cut, and
            only what has its place on the screen. With `review` and `reviewers` (see `g2w.ui.review.apply`) what people
            decided comes before every threshold.
        clip_paths: clip_id -> video file, at least for the train clips.

    Returns:
        One extraction per proposal: none is dropped silently.
    """
    config = config or ExtractConfig()
    done: list[Extraction] = []
    waiting: list[Row] = []
    for row in sorted(proposals, key=_precedence):
        reason = _never_cut(row)
        if reason is None:
            waiting.append(row)
        else:
            done.append(Extraction(row, "rejected", reason, None))
    for _ in range(config.tries):
        chosen, others = _best_of_each(waiting, config)
        tried = _cut(chosen, proposals, clip_paths, config)
        duplicates, waiting = _duplicates(others, tried, config)
        done += [*tried, *duplicates]
    return [*done, *(Extraction(row, "rejected", ExtractReason.TRIES_SPENT, None) for row in waiting)]


def _precedence(row: Row) -> tuple[Any, ...]:
    return row["game"], row.get("review") != "accepted", -row["confidence"], row["clip_id"], row["y"], row["x"]


def _never_cut(row: Row) -> ExtractReason | None:
    if row["split"] != "train":
        return ExtractReason.NOT_TRAIN_SPLIT
    if row.get("review") == "rejected":
        return ExtractReason.REJECTED_BY_REVIEWER
    return None if row["anchor"] == "screen" else ExtractReason.NOT_SCREEN_ANCHORED


def _best_of_each(rows: Sequence[Row], config: ExtractConfig) -> tuple[list[Row], list[Row]]:
    """Rows that are the first of their place in their game, and all others, both in their order."""
    first: dict[str, list[Row]] = {}
    others: list[Row] = []
    for row in rows:
        mine = first.setdefault(row["game"], [])
        known = any(iou(row, other) > config.duplicate_iou for other in mine)
        (others if known else mine).append(row)
    return [row for mine in first.values() for row in mine], others


def _duplicates(
    rows: Sequence[Row], tried: Sequence[Extraction], config: ExtractConfig
) -> tuple[list[Extraction], list[Row]]:
    """Which rows are done with, because their element has been cut, and which are not."""
    cut: dict[str, list[tuple[Row, str]]] = {}
    for item in tried:
        if item.asset is not None:
            cut.setdefault(item.proposal["game"], []).append((item.proposal, item.asset.asset_id))
    done: list[Extraction] = []
    left: list[Row] = []
    for row in rows:
        places = cut.get(row["game"], ())
        same = next((asset_id for other, asset_id in places if iou(row, other) > config.duplicate_iou), None)
        if same is None:
            left.append(row)
        else:
            done.append(Extraction(row, "rejected", ExtractReason.DUPLICATE, None, same))
    return done, left


def _cut(
    rows: Sequence[Row],
    proposals: Sequence[Row],
    clip_paths: Mapping[str, str | Path],
    config: ExtractConfig,
) -> list[Extraction]:
    """Try rows, clip by clip, so that each clip is decoded once."""
    by_clip: dict[str, list[Row]] = {}
    for row in rows:
        by_clip.setdefault(row["clip_id"], []).append(row)
    neighbors: dict[str, list[Row]] = {clip_id: [] for clip_id in by_clip}
    for row in proposals:
        if row["clip_id"] in neighbors:
            neighbors[row["clip_id"]].append(row)
    done = []
    for clip_id, mine in sorted(by_clip.items()):
        mattes = solve_clip(clip_paths[clip_id], mine, neighbors[clip_id], config)
        done += [_judge(row, matte, config) for row, matte in zip(mine, mattes, strict=True)]
    return done


def solve_clip(path: str | Path, rows: Sequence[Row], neighbors: Sequence[Row], config: ExtractConfig) -> list[Matte]:
    """Mattes of several elements of one clip, which is decoded once."""
    boxes = [grown(row, config.grow_px) for row in rows]
    spots = [crop_box(box, config.matting.margin, (WIDTH, HEIGHT)) for box in boxes]
    crops: list[list[np.ndarray]] = [[] for _ in rows]
    for index, frame in enumerate(iter_frames(path)):
        if index % config.stride:
            continue
        if frame.shape != (HEIGHT, WIDTH, 3):
            raise ValueError(
                f"{path}: canonical clips are {WIDTH}x{HEIGHT}, this one is {frame.shape[1]}x{frame.shape[0]}"
            )
        for k, (row, (x0, y0, x1, y1)) in enumerate(zip(rows, spots, strict=True)):
            if row["first_frame"] <= index <= row["last_frame"]:
                crops[k].append(frame[y0:y1, x0:x1].copy())
    mattes = []
    for row, box, spot, stack in zip(rows, boxes, spots, crops, strict=True):
        inside = _mask(box, spot)
        taken = np.zeros_like(inside)
        for other in neighbors:
            if (other["x"], other["y"], other["w"], other["h"]) != (row["x"], row["y"], row["w"], row["h"]):
                taken |= _mask(grown(other, config.grow_px), spot)
        mattes.append(_solve(stack, inside, taken, config.matting))
    return mattes


def _solve(stack: list[np.ndarray], inside: np.ndarray, taken: np.ndarray, config: MattingConfig) -> Matte:
    ring = ~inside & ~taken
    if not stack or not ring.any():
        return Matte(None, 1.0, MatteReason.TOO_FEW_FRAMES if not stack else MatteReason.NO_SURROUNDINGS)
    crops = np.stack(stack)
    return solve_matte(crops[list(moving_subset(crops, ring))], inside, config, taken=taken)


def _judge(row: Row, matte: Matte, config: ExtractConfig) -> Extraction:
    if matte.rgba is None:
        return Extraction(row, "rejected", matte.reason, None)
    x, y, _, _ = grown(row, config.grow_px)
    asset = Asset(
        cls=row["cls"],
        style_set="a",
        pixels=matte.rgba,
        num_states=1,
        theme=f"x-{row['game']}",
        source="extracted",
        source_ref=f"{row['clip_id']}:{row['first_frame']}-{row['last_frame']}:{row['x']},{row['y']},{row['w']},{row['h']}",
        licence=row.get("licence") or "unknown",
        attribution=f"cut from {row['game']}",
        x=x,
        y=y,
        confidence=float(row["confidence"]),
        accepted_by=row.get("reviewers") or f"auto:{row['detector']}",
    )
    if row.get("review") == "accepted":
        return Extraction(row, "accepted", None, asset)
    for low, reason in (
        (row.get("review") == "open", ExtractReason.VOTES_OPEN),
        (row["confidence"] < config.accept_confidence, ExtractReason.LOW_CONFIDENCE),
        (row["cls_confidence"] < config.accept_class, ExtractReason.UNSURE_CLASS),
        (matte.error > config.accept_alpha_error, ExtractReason.UNSURE_ALPHA),
    ):
        if low:
            return Extraction(row, "needs_review", reason, asset)
    return Extraction(row, "accepted", None, asset)


def grown(row: Row, by: int) -> tuple[int, int, int, int]:
    """The box (x, y, w, h) of a proposal grown by some pixels and cut to the picture: what its matte covers."""
    x, y = max(0, row["x"] - by), max(0, row["y"] - by)
    return x, y, min(WIDTH, row["x"] + row["w"] + by) - x, min(HEIGHT, row["y"] + row["h"] + by) - y


def _mask(box: tuple[int, int, int, int], spot: tuple[int, int, int, int]) -> np.ndarray:
    mask = np.zeros((spot[3] - spot[1], spot[2] - spot[0]), bool)
    x, y = box[0] - spot[0], box[1] - spot[1]
    mask[max(0, y) : max(0, y + box[3]), max(0, x) : max(0, x + box[2])] = True
    return mask
