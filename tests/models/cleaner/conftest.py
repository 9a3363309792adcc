"""A cleaner small enough to train in seconds, and moving pictures with fixed overlays to train it on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.cleaner.config import CleanerConfig, CodecConfig, DiTConfig, FlowConfig, MLLMConfig, WindowConfig
from models.cleaner.data import PairBatch
from models.cleaner.train import train_cleaner
from models.training.loop import LoopConfig
from models.training.optim import step_rng
from models.training.reporter import NullReporter

HEIGHT, WIDTH, FRAMES = 32, 64, 9


class MovingStripes:
    """Pairs of scrolling texture and a bright box that stays put; a pure function of (seed, step)."""

    fingerprint = "moving-stripes"

    def sample(self, seed: int, step: int, batch: int) -> PairBatch:
        """See PairSource.sample."""
        rng = step_rng(seed, step, "stripes")
        ui, clean, mask, far = [], [], [], []
        for _ in range(batch):
            rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
            phase, speed, angle = rng.uniform(0, 6), rng.uniform(0.5, 1.5), rng.uniform(0, 3.1)
            wave = np.cos(angle) * columns / 5 + np.sin(angle) * rows / 5
            gray = np.stack([100 + 50 * np.sin(wave + phase + speed * frame) for frame in range(FRAMES)])
            picture = np.repeat(gray[..., None], 3, axis=-1).astype(np.uint8)
            cover = np.zeros((FRAMES, HEIGHT, WIDTH), np.uint8)
            top, left = int(rng.integers(0, HEIGHT - 10)), int(rng.integers(0, WIDTH - 20))
            cover[:, top : top + 8, left : left + 16] = 255
            overlaid = picture.copy()
            overlaid[cover > 0] = (250, 220, 30)
            ui.append(overlaid)
            clean.append(picture)
            mask.append(cover)
            far.append(overlaid[::2])
        return PairBatch(np.stack(ui), np.stack(clean), np.stack(mask), np.stack(far))


def micro_config(**changes: object) -> CleanerConfig:
    """A CleanerConfig of about 60 thousand DiT parameters."""
    base = CleanerConfig(
        preset="micro",
        dit=DiTConfig(
            num_heads=2,
            head_dim=24,
            num_layers=2,
            ffn_dim=96,
            channels=32,
            freq_dim=32,
            text_dim=48,
            rope_max_seq_len=32,
        ),
        codec=CodecConfig(kind="pca", channels=32, patch=(4, 8, 8)),
        mllm=MLLMConfig(hidden=64, num_queries=4, max_frames=2, max_pixels=28 * 28 * 2),
        flow=FlowConfig(
            prior="source", gate="one", weighting="uniform", start_share=0.5, num_steps=1, zero_source_embedder=False
        ),
        window=WindowConfig(num_frames=FRAMES, stride=1, hop=8, height=HEIGHT, width=WIDTH),
        train=LoopConfig(num_steps=8, batch_size=2, lr=3e-3, warmup_steps=2, log_every=2, save_every=3, ema_decay=0.9),
    )
    return replace(base, **changes)


@pytest.fixture(scope="session")
def stripes() -> MovingStripes:
    """The pair source."""
    return MovingStripes()


@pytest.fixture(scope="session")
def make_config():
    """`make_config(**changes)` builds a micro configuration."""
    return micro_config


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a micro checkpoint trained for 60 steps."""
    folder = tmp_path_factory.mktemp("cleaner")
    config = micro_config(train=LoopConfig(num_steps=60, batch_size=4, lr=4e-3, warmup_steps=5, ema_decay=0.9))
    train_cleaner(config, MovingStripes(), folder, NullReporter())
    return folder
