"""A world small enough to train in seconds: a striped wall seen by a camera that turns as the actions say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.cleaner.config import CodecConfig, DiTConfig
from models.training.loop import LoopConfig
from models.world.clips import ActionClip
from models.world.config import KEYS, ActionConfig, PilotConfig, WindowConfig, WorldConfig
from models.world.presets import tiny_action, tiny_pilot

WIDTH, HEIGHT, FRAMES = 64, 32, 60
PIXELS_PER_DEGREE = 1.0


def turning_clip(clip_id: str, seed: int) -> ActionClip:
    """Frames (60, 32, 64, 3): a wall of smooth random texture, panned by one pixel per degree of yaw."""
    rng = np.random.default_rng(seed)
    turns = np.repeat(rng.choice([-2.0, -1.0, 1.0, 2.0], FRAMES // 6), 6).astype(np.float32)
    wall = np.zeros((HEIGHT, 1024))
    rows, columns = np.mgrid[0:HEIGHT, 0:1024]
    for _ in range(12):
        fx, fy, phase = rng.uniform(0.05, 0.5), rng.uniform(0.05, 0.4), rng.uniform(0, 6)
        wall += np.sin(fx * columns + fy * rows + phase)
    wall = (128 + 100 * wall / np.abs(wall).max()).astype(np.uint8)
    offsets = 400 + np.concatenate([[0.0], np.cumsum(turns[:-1])]) * PIXELS_PER_DEGREE
    gray = np.stack([wall[:, round(o) : round(o) + WIDTH] for o in offsets])
    actions = np.zeros((FRAMES, len(KEYS) + 2), np.float32)
    actions[:, len(KEYS)] = turns
    return ActionClip(clip_id, np.repeat(gray[..., None], 3, axis=-1), actions, np.ones(FRAMES, bool))


@pytest.fixture
def clips() -> dict[str, ActionClip]:
    return {f"clip{i}": turning_clip(f"clip{i}", i) for i in range(4)}


def small(config: WorldConfig | PilotConfig, num_steps: int):
    """A preset cut down to a few thousand weights."""
    return replace(
        config,
        dit=DiTConfig(
            num_heads=2,
            head_dim=24,
            num_layers=2,
            ffn_dim=64,
            channels=12,
            freq_dim=32,
            text_dim=32,
            rope_max_seq_len=64,
        ),
        codec=CodecConfig(kind="pca", channels=12, patch=(4, 8, 8)),
        window=WindowConfig(num_frames=9, height=HEIGHT, width=WIDTH),
        train=LoopConfig(num_steps=num_steps, batch_size=4, lr=5e-3, warmup_steps=1, save_every=2, log_every=5),
    )


@pytest.fixture
def action_config() -> WorldConfig:
    config = replace(tiny_action(), actions=ActionConfig(blocks=(0, 1), embed_dim=8, num_heads=1))
    return small(config, 6)


@pytest.fixture
def pilot_config() -> PilotConfig:
    return replace(small(tiny_pilot(), 4), guess_rank=8)
