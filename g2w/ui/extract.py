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


class ExtractReason(StrEnum):
    """Why a proposal is not an accepted asset; the reasons of `MatteReason` come on top."""

    NOT_TRAIN_SPLIT = "not_train_split"
    DUPLICATE = "duplicate"
    LOW_CONFIDENCE = "low_confidence"
    UNSURE_CLASS = "unsure_class"
    UNSURE_ALPHA = "unsure_alpha"
    REJECTED_BY_REVIEWER = "rejected_by_reviewer"
    VOTES_OPEN = "votes_open"


@dataclass(frozen=True)
class ExtractConfig:
    """Thresholds of automatic acceptance (0..1); what is below waits for a person (`needs_review`)."""

    accept_confidence: float = 0.6
    accept_class: float = 0.7
    accept_alpha_error: float = 0.15
    duplicate_iou: float = 0.6
    stride: int = 2
    grow_px: int = 3
    matting: MattingConfig = field(default_factory=MattingConfig)

    def __post_init__(self) -> None:
        for name in ("accept_confidence", "accept_class", "accept_alpha_error", "duplicate_iou"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"ExtractConfig.{name} is {getattr(self, name)}, must be in 0..1")
        if self.stride < 1 or self.grow_px < 0:
            raise ValueError(f"ExtractConfig needs stride >= 1 and grow_px >= 0: {self}")


@dataclass(frozen=True)
class Extraction:
    """A proposal's fate: verdict `accepted`, `needs_review` or `rejected`, the asset where one could be cut."""

    proposal: Mapping[str, Any]
    verdict: str
    reason: str | None
    asset: Asset | None


def extract(
    proposals: Sequence[Mapping[str, Any]], clip_paths: Mapping[str, str | Path], config: ExtractConfig | None = None
) -> list[Extraction]:
    """Cut proposals out of their clips.

    Args:
        proposals: rows of `g2w.ui.detect.propose` with clip_id, game, split, licence added. Only `train` clips are cut.
            With `review` and `reviewers` (see `g2w.ui.review.apply`) what people decided comes before every threshold.
        clip_paths: clip_id -> video file, at least for the train clips.

    Returns:
        One extraction per proposal: none is dropped silently.
    """
    config = config or ExtractConfig()
    done: list[Extraction] = []
    keep: list[Mapping[str, Any]] = []
    order = sorted(
        proposals,
        key=lambda p: (p["game"], p.get("review") != "accepted", -p["confidence"], p["clip_id"], p["y"], p["x"]),
    )
    for row in order:
        if row["split"] != "train":
            done.append(Extraction(row, "rejected", ExtractReason.NOT_TRAIN_SPLIT, None))
        elif row.get("review") == "rejected":
            done.append(Extraction(row, "rejected", ExtractReason.REJECTED_BY_REVIEWER, None))
        elif any(row["game"] == other["game"] and iou(row, other) > config.duplicate_iou for other in keep):
            done.append(Extraction(row, "rejected", ExtractReason.DUPLICATE, None))
        else:
            keep.append(row)
    for clip_id in sorted({row["clip_id"] for row in keep}):
        mine = [row for row in keep if row["clip_id"] == clip_id]
        everything = [row for row in proposals if row["clip_id"] == clip_id]
        mattes = solve_clip(clip_paths[clip_id], mine, everything, config)
        done.extend(_judge(row, matte, config) for row, matte in zip(mine, mattes, strict=True))
    return done


def solve_clip(
    path: str | Path, rows: Sequence[Mapping[str, Any]], neighbors: Sequence[Mapping[str, Any]], config: ExtractConfig
) -> list[Matte]:
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


def _judge(row: Mapping[str, Any], matte: Matte, config: ExtractConfig) -> Extraction:
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


def grown(row: Mapping[str, Any], by: int) -> tuple[int, int, int, int]:
    """The box (x, y, w, h) of a proposal grown by some pixels and cut to the picture: what its matte covers."""
    x, y = max(0, row["x"] - by), max(0, row["y"] - by)
    return x, y, min(WIDTH, row["x"] + row["w"] + by) - x, min(HEIGHT, row["y"] + row["h"] + by) - y


def _mask(box: tuple[int, int, int, int], spot: tuple[int, int, int, int]) -> np.ndarray:
    mask = np.zeros((spot[3] - spot[1], spot[2] - spot[0]), bool)
    x, y = box[0] - spot[0], box[1] - spot[1]
    mask[max(0, y) : max(0, y + box[3]), max(0, x) : max(0, x + box[2])] = True
    return mask
