"""Pictures of a proposal for the page: its frame, and the element cut out of its clip. Made when asked for, then kept."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from g2w.ui.review.formats import frame_of
from g2w.video.read import read_frames
from jobs.review_page.board import Board

KEPT_FRAMES, KEPT_CUTS = 32, 2048
"""About 1.5 MB and some 20 kB each."""


@dataclass(frozen=True)
class Cut:
    """An element's matte: RGBA PNG, or None and the reason; `box` (x, y, w, h) is what it covers of 1280x720.

    `error` is the expected error of alpha (0..1).
    """

    png: bytes | None
    reason: str | None
    box: tuple[int, int, int, int]
    error: float


class Pictures:
    """Pictures of the proposals of a board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._frame = lru_cache(KEPT_FRAMES)(_frame_png)
        self._cuts = lru_cache(KEPT_CUTS)(self._solve)

    def frame(self, proposal: str) -> bytes:
        """The whole frame that shows a proposal, PNG.

        Raises:
            UnknownProposal: if there is none.
            ValueError, OSError: if its clip cannot be read.
        """
        row = self._board.row(proposal)
        return self._frame(row["path"], frame_of(row))

    def cut(self, proposal: str) -> Cut:
        """The element cut out with the box of the detector; raises as `frame` does."""
        return self._cuts(proposal)

    def _solve(self, proposal: str) -> Cut:
        return _cut(self._board.row(proposal), self._board.neighbors(proposal))


def _frame_png(path: str, index: int) -> bytes:
    (frame,) = read_frames(path, start=index, stop=index + 1)
    return _png(frame)


def _cut(row: Mapping[str, Any], neighbors: Sequence[Mapping[str, Any]]) -> Cut:
    from g2w.ui.extract import ExtractConfig, grown, solve_clip

    config = ExtractConfig()
    (matte,) = solve_clip(row["path"], [row], neighbors, config)
    box = grown(row, config.grow_px)
    return Cut(_png(matte.rgba) if matte.rgba is not None else None, matte.reason, box, matte.error)


def _png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    # Speed, not size: these bytes travel inside one machine.
    Image.fromarray(pixels).save(out, "png", compress_level=1)
    return out.getvalue()
