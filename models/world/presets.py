"""Three sizes of one code path: `tiny` (two CPU cores, minutes), `dev` (one GPU), `paper` (the published settings)."""

from __future__ import annotations

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


def tiny_action(*, num_steps: int = 260, num_threads: int = 2, seed: int = 0) -> WorldConfig:
    """From scratch on CPU: source prior, one-step sampling, motion head.

    Differs from the published objective (noise prior, velocity), which at this size and budget gives blurred pictures
    without measurable flow: see `WorldConfig.motion`.
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
        train=LoopConfig(num_steps=num_steps, batch_size=6, lr=2e-3, warmup_steps=min(20, num_steps - 1), ema_decay=0.97,
                         seed=seed, num_threads=num_threads, save_every=100),
        context=ContextConfig(kind="table", num_tokens=2),
        motion=MotionConfig(),
        coordinates=True,
        fill="repeat",
        flip_share=0.5,
        turn_share=0.5,
    )  # fmt: skip
