"""Three sizes of one code path: `tiny` (two CPU cores, minutes), `dev` (one GPU), `paper` (the published settings)."""

from __future__ import annotations

from dataclasses import replace

from models.cleaner.config import CodecConfig, DiTConfig
from models.training.loop import LoopConfig
from models.world.config import (
    ActionConfig,
    ContextConfig,
    MotionConfig,
    ObjectiveConfig,
    PilotConfig,
    WindowConfig,
    WorldConfig,
)

_WAN_1B = "Wan-AI/Wan2.1-T2V-1.3B-Diffusers"


def tiny_action(*, num_steps: int = 220, num_threads: int = 2, seed: int = 0) -> WorldConfig:
    """From scratch on CPU: source prior, one-step sampling, motion head.

    Differs from the published objective (noise prior, velocity), which was not measured at this size: see
    `WorldConfig.motion`.
    """
    channels = 48
    return WorldConfig(
        preset="tiny",
        dit=DiTConfig(num_heads=4, head_dim=32, num_layers=3, ffn_dim=256, channels=channels, freq_dim=64, text_dim=64,
                      rope_max_seq_len=64),
        codec=CodecConfig(kind="pca", channels=channels, patch=(4, 8, 8)),
        actions=ActionConfig(blocks=(0, 1, 2), embed_dim=16, num_heads=2),
        window=WindowConfig(num_frames=9, height=72, width=128),
        objective=ObjectiveConfig(prior="source", shift=5.0, start_share=0.75, num_steps=1),
        train=LoopConfig(num_steps=num_steps, batch_size=6, lr=3e-3, warmup_steps=min(20, num_steps - 1), ema_decay=0.97,
                         seed=seed, num_threads=num_threads, save_every=100),
        context=ContextConfig(kind="table", num_tokens=2),
        motion=MotionConfig(),
        coordinates=True,
        fill="repeat",
        flip_share=0.5,
        turn_share=0.5,
    )  # fmt: skip


def dev_action(*, num_steps: int = 4000, num_threads: int = 8, seed: int = 0) -> WorldConfig:
    """One consumer GPU: action modules in every block of Wan2.1-T2V-1.3B, published objective."""
    return WorldConfig(
        preset="dev",
        dit=DiTConfig(num_heads=12, head_dim=128, num_layers=30, ffn_dim=8960, channels=16, patch=(1, 2, 2), weights=_WAN_1B),
        codec=CodecConfig(kind="wan", channels=16, patch=(4, 8, 8), weights=_WAN_1B),
        actions=ActionConfig(blocks=tuple(range(30))),
        window=WindowConfig(num_frames=33, height=352, width=640),
        objective=ObjectiveConfig(),
        train=LoopConfig(num_steps=num_steps, batch_size=1, accumulate=8, lr=1e-5, warmup_steps=100, final_lr_ratio=1.0,
                         seed=seed, num_threads=num_threads),
        context=ContextConfig(kind="umt5", weights=_WAN_1B),
    )  # fmt: skip


def paper_action(*, num_steps: int = 40_000, num_threads: int = 16, seed: int = 0) -> WorldConfig:
    """8 GPUs: the published lengths (77 frames of 360x640, here 352x640: a multiple of 16), batch 64, lr 1e-5."""
    base = dev_action(num_steps=num_steps, num_threads=num_threads, seed=seed)
    train = replace(base.train, batch_size=1, accumulate=8, warmup_steps=500)
    return replace(base, preset="paper", window=WindowConfig(num_frames=77, height=352, width=640), train=train)


def tiny_pilot(*, num_steps: int = 80, num_threads: int = 2, seed: int = 0) -> PilotConfig:
    """From scratch on CPU: PCA latents, noise prior, a learned caption per game in place of a text encoder.

    The published objective left colored noise at this budget: here the transformer predicts what the best linear guess of
    the velocity leaves. Patches are coarse, so that a window has 144 tokens. Most of what the arms show is that guess.
    """
    channels = 48
    return PilotConfig(
        preset="tiny",
        dit=DiTConfig(num_heads=4, head_dim=32, num_layers=2, ffn_dim=384, channels=channels, freq_dim=64, text_dim=64,
                      rope_max_seq_len=64),
        codec=CodecConfig(kind="pca", channels=channels, patch=(4, 12, 16)),
        window=WindowConfig(num_frames=9, height=72, width=128, stride=2),
        objective=ObjectiveConfig(prior="noise", shift=2.0, num_steps=20),
        train=LoopConfig(num_steps=num_steps, batch_size=16, lr=2e-3, warmup_steps=min(20, num_steps - 1), ema_decay=0.97,
                         seed=seed, num_threads=num_threads, save_every=50),
        context=ContextConfig(kind="table", num_tokens=4),
        guess_rank=256,
        coordinates=True,
    )  # fmt: skip


def dev_pilot(*, num_steps: int = 2000, num_threads: int = 8, seed: int = 0) -> PilotConfig:
    """One consumer GPU: a rank-64 adapter on Wan2.1-T2V-1.3B, the published pilot's base."""
    return PilotConfig(
        preset="dev",
        dit=DiTConfig(num_heads=12, head_dim=128, num_layers=30, ffn_dim=8960, channels=16, patch=(1, 2, 2), weights=_WAN_1B),
        codec=CodecConfig(kind="wan", channels=16, patch=(4, 8, 8), weights=_WAN_1B),
        window=WindowConfig(num_frames=33, height=480, width=832),
        objective=ObjectiveConfig(),
        train=LoopConfig(num_steps=num_steps, batch_size=1, accumulate=8, lr=1e-4, warmup_steps=100, final_lr_ratio=1.0,
                         seed=seed, num_threads=num_threads),
        context=ContextConfig(kind="umt5", weights=_WAN_1B),
        lora_rank=64,
    )  # fmt: skip


def paper_pilot(*, num_steps: int = 10_000, num_threads: int = 16, seed: int = 0) -> PilotConfig:
    """8 GPUs: the same base, all weights, 81 frames."""
    base = dev_pilot(num_steps=num_steps, num_threads=num_threads, seed=seed)
    return replace(base, preset="paper", window=WindowConfig(num_frames=81, height=480, width=832), lora_rank=0)


ACTION_PRESETS = {"tiny": tiny_action, "dev": dev_action, "paper": paper_action}
PILOT_PRESETS = {"tiny": tiny_pilot, "dev": dev_pilot, "paper": paper_pilot}


def action_preset(name: str) -> WorldConfig:
    """The action preset of that name; raises ValueError listing the names."""
    if name not in ACTION_PRESETS:
        raise ValueError(f"unknown world preset {name!r}: choose one of {sorted(ACTION_PRESETS)}")
    return ACTION_PRESETS[name]()


def pilot_preset(name: str) -> PilotConfig:
    """The pilot preset of that name; raises ValueError listing the names."""
    if name not in PILOT_PRESETS:
        raise ValueError(f"unknown pilot preset {name!r}: choose one of {sorted(PILOT_PRESETS)}")
    return PILOT_PRESETS[name]()
