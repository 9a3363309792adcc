"""Three sizes of one code path: `tiny` (two CPU cores, about 130 CPU seconds), `dev` and `paper` (longer, wider)."""

from __future__ import annotations

from models.lite.config import LiteConfig, PairConfig
from models.training.loop import LoopConfig


def tiny(*, num_steps: int = 640, num_threads: int = 2, seed: int = 0) -> LiteConfig:
    """What `make demo` trains."""
    train = LoopConfig(
        num_steps=num_steps,
        batch_size=4,
        lr=3e-3,
        warmup_steps=min(30, num_steps - 1),
        ema_decay=0.98,
        seed=seed,
        num_threads=num_threads,
        save_every=100,
    )
    return LiteConfig(preset="tiny", train=train)


def dev(*, num_steps: int = 6000, num_threads: int = 8, seed: int = 0) -> LiteConfig:
    """A workstation: a wider net, ten times the crops."""
    train = LoopConfig(
        num_steps=num_steps,
        batch_size=16,
        lr=2e-3,
        warmup_steps=100,
        ema_decay=0.995,
        seed=seed,
        num_threads=num_threads,
    )
    return LiteConfig(
        preset="dev", train=train, widths=(24, 48, 64, 96, 128), pairs=PairConfig(crop=(448, 256), max_clips=20)
    )


def paper(*, num_steps: int = 40_000, num_threads: int = 16, seed: int = 0) -> LiteConfig:
    """The largest that is still cheap to run beside the diffusion model."""
    train = LoopConfig(
        num_steps=num_steps,
        batch_size=32,
        lr=1e-3,
        warmup_steps=500,
        ema_decay=0.999,
        seed=seed,
        num_threads=num_threads,
    )
    return LiteConfig(
        preset="paper", train=train, widths=(32, 64, 96, 128, 192), pairs=PairConfig(crop=(640, 360), max_clips=22)
    )


PRESETS = {"tiny": tiny, "dev": dev, "paper": paper}


def preset(name: str) -> LiteConfig:
    """The preset of that name with its default numbers; raises ValueError listing the names."""
    if name not in PRESETS:
        raise ValueError(f"unknown lite preset {name!r}: choose one of {sorted(PRESETS)}")
    return PRESETS[name]()
