"""A segmenter small enough to train in seconds, scrolling worlds, and a two-asset library drawn for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from models.lite.config import FillConfig, LiteConfig, MaskConfig, PairConfig
from models.lite.evidence import EvidenceConfig
from models.lite.pairs import RecipePairs
from models.lite.train import train_lite
from models.training.loop import LoopConfig
from models.training.reporter import NullReporter

WIDTH, HEIGHT, FRAMES = 128, 96, 30


def scrolling_world(seed: int, size: tuple[int, int] = (WIDTH, HEIGHT), num_frames: int = FRAMES) -> np.ndarray:
    """uint8 (T, h, w, 3): a smooth random texture that moves 3 px right and 1 px up a frame."""
    rng = np.random.default_rng(seed)
    width, height = size[0] + 3 * num_frames, size[1] + num_frames
    rough = rng.integers(20, 235, (height // 6 + 2, width // 6 + 2, 3), dtype=np.uint8)
    texture = cv2.resize(rough, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.stack([texture[t : t + size[1], 3 * t : 3 * t + size[0]] for t in range(num_frames)])


def element(asset_id: str, x: int, y: int, w: int, h: int, opacity: int = 255) -> dict[str, Any]:
    """A still element in pixels of 1280x720, as recipes hold them."""
    return {"asset_id": asset_id, "element_id": asset_id, "cls": "other_hud", "x": x, "y": y, "w": w, "h": h,
            "start": 0, "stop": FRAMES,
            "states": [[0, 0]], "num_states": 1, "animation": "instant", "enter": 0, "leave": 0,
            "opacity": opacity}  # fmt: skip


def micro_config(**changes: Any) -> LiteConfig:
    """A LiteConfig whose net has about 20 thousand parameters."""
    base = LiteConfig(
        preset="micro",
        train=LoopConfig(num_steps=8, batch_size=2, lr=4e-3, warmup_steps=2, log_every=2, save_every=3, ema_decay=0.9),
        widths=(8, 12, 12, 16, 16),
        evidence=EvidenceConfig(width=WIDTH, height=HEIGHT, num_long=6, span=FRAMES, short_offsets=(-4, -2, 0, 2, 4)),
        pairs=PairConfig(crop=(96, 64), max_clips=4, min_span_share=0.5, freeze=0.0, flicker=0.0),
        mask=MaskConfig(hop=5),
        fill=FillConfig(),
    )
    return replace(base, **changes)


@pytest.fixture(scope="session")
def make_config():
    """`make_config(**changes)` builds a micro configuration."""
    return micro_config


@pytest.fixture(scope="session")
def make_world():
    """`make_world(seed, size, num_frames)` draws a scrolling world."""
    return scrolling_world


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> RecipePairs:
    """Panels and rings over three worlds at the micro size."""
    return RecipePairs(*pair_inputs(tmp_path_factory.mktemp("library")), micro_config())


def pair_inputs(folder: Path) -> tuple[dict[str, Path | np.ndarray], list[dict[str, Any]], Path]:
    """Clips, recipes and a library folder."""
    (folder / "png").mkdir(parents=True)
    panel = np.full((60, 200, 4), 255, np.uint8)
    panel[8:-8, 8:-8, :3] = (160, 40, 20)
    ring = np.zeros((120, 120, 4), np.uint8)
    cv2.circle(ring, (60, 60), 45, (90, 240, 250, 255), 24)
    cv2.imwrite(str(folder / "png" / "panel.png"), panel)
    cv2.imwrite(str(folder / "png" / "ring.png"), ring)
    rng = np.random.default_rng(0)
    recipes = []
    for number in range(12):
        x, y = (int(v) for v in rng.integers(0, (900, 500)))
        elements = [element("panel", x, y, 300, 120), element("ring", 900 - x, 500 - y, 170, 170)] if number % 6 else []
        recipes.append({"pair_id": str(number), "clip_id": "world0", "num_frames": FRAMES, "start_frame": 0,
                        "elements": json.dumps(elements)})  # fmt: skip
    clips: dict[str, Path | np.ndarray] = {f"world{seed}": scrolling_world(seed) for seed in range(3)}
    return clips, recipes, folder


@pytest.fixture(scope="session")
def make_pairs():
    """`make_pairs(folder)` gives (clips, recipes, library folder) for a `RecipePairs` of one's own."""
    return pair_inputs


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, pairs: RecipePairs) -> Path:
    """Folder of a micro checkpoint that has learned."""
    folder = tmp_path_factory.mktemp("lite")
    config = micro_config(train=LoopConfig(num_steps=110, batch_size=6, lr=6e-3, warmup_steps=5, ema_decay=0.9))
    train_lite(config, pairs, folder, NullReporter())
    return folder
