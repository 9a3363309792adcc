"""Pictures of a proposal: the frame as it is, and the element with its own alpha."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from g2w.ui.review.decisions import DecisionLog, proposal_id
from g2w.video.write import write_video
from jobs.review_page.board import Board, UnknownProposal
from jobs.review_page.pictures import Pictures

ROW = {"clip_id": "c1", "x": 100, "y": 80, "w": 120, "h": 60, "cls": "inventory", "detector": "d@1", "first_frame": 0,
       "last_frame": 43}  # fmt: skip


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world that scrolls fast behind one opaque plate."""
    coarse = np.random.default_rng(0).integers(0, 255, (60, 120, 3), dtype=np.uint8)
    world = cv2.resize(coarse, (2560, 1280), interpolation=cv2.INTER_CUBIC)
    frames = [np.roll(world, (-9 * k, -23 * k), (0, 1))[:720, :1280].copy() for k in range(44)]
    for frame in frames:
        frame[80:140, 100:220] = (200, 40, 40)
    write_video(path := tmp_path_factory.mktemp("clip") / "c1.mp4", frames)
    return path


def test_the_element_is_cut_with_its_alpha(clip: Path, tmp_path: Path) -> None:
    pictures = Pictures(Board(lambda: [{**ROW, "path": str(clip)}], DecisionLog(tmp_path / "log.jsonl")))
    frame = np.asarray(Image.open(io.BytesIO(pictures.frame(proposal_id(ROW)))))
    assert frame.shape == (720, 1280, 3)
    cut = pictures.cut(proposal_id(ROW))
    assert cut.reason is None and cut.png is not None and cut.box == (97, 77, 126, 66)
    rgba = np.asarray(Image.open(io.BytesIO(cut.png)))
    assert rgba.shape == (66, 126, 4)
    assert rgba[10:-10, 10:-10, 3].min() > 240 and rgba[0, :, 3].max() < 60, "the plate is solid, the margin is not"
    assert pictures.cut(proposal_id(ROW)) is cut, "a cut is made once"


def test_an_unknown_proposal_and_a_lost_clip_are_errors(tmp_path: Path) -> None:
    pictures = Pictures(Board(lambda: [{**ROW, "path": "gone.mp4"}], DecisionLog(tmp_path / "log.jsonl")))
    with pytest.raises(UnknownProposal, match="nothing"):
        pictures.frame("nothing")
    with pytest.raises((OSError, ValueError)):
        pictures.cut(proposal_id(ROW))
