"""The keyboard and mouse module that sits inside transformer blocks (GameFactory section 3; Matrix-Game 2.0's layout).

Mouse: group numbers are concatenated to the features, then an MLP and a temporal self-attention. Keyboard: each latent
frame's group of key rows is one key / value token of a temporal cross-attention. Both are residual with zero-initialized
outputs, so that a fresh module changes nothing. Tensor names and quirks are those of the released Matrix-Game 2.0 files.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.world.config import ActionConfig

ROTARY_AXES = (8, 28, 28)
"""Channels of the time, row and column axes. Row and column are always 0 here, so only the first 8 channels turn."""
ROTARY_BASE = 256.0
HEAD_DIM = sum(ROTARY_AXES)


def group_index(num_latent_frames: int, *, ratio: int = 4, window: int = 3) -> Tensor:
    """Action rows that each latent frame receives, int64 (f, ratio * window).

    Latent frame j sees rows ratio * (j - window) ... ratio * j - 1; row 0 stands in for negative ones. Row i is the action
    between video frames i and i + 1, so the last row seen is the one that leads to the latent frame's first own frame.
    """
    if num_latent_frames < 1:
        raise ValueError(f"num_latent_frames must be at least 1, got {num_latent_frames}")
    ends = ratio * torch.arange(num_latent_frames)[:, None]
    return (ends - ratio * window + torch.arange(ratio * window)[None]).clamp_min(0)


def causal_mask(num_latent_frames: int, block: int, local: int = -1) -> Tensor:
    """Boolean (f, f), True = may be seen: keys before the end of the query's block; with `local` >= 0 only the last `local`."""
    frame = torch.arange(num_latent_frames)
    end = ((frame // block + 1) * block).clamp_max(num_latent_frames)[:, None]
    seen = frame[None] < end
    return seen if local < 0 else seen & (frame[None] >= end - local)


class ActionModule(nn.Module):
    """Adds what the actions do to token features (B, f * S, C), S tokens per latent frame.

    Rows of `mouse` (B, N, mouse_dim) and `keyboard` (B, N, num_keys) are floats, one per video frame transition,
    N >= ratio * (f - 1). Row units are the caller's business (see actions.json beside a checkpoint).
    """

    def __init__(self, config: ActionConfig, width: int) -> None:
        super().__init__()
        self.config = config
        hidden, inner = config.num_heads * HEAD_DIM, config.ratio * config.window
        self.keyboard_embed = nn.Sequential(
            nn.Linear(config.num_keys, config.embed_dim), nn.SiLU(), nn.Linear(config.embed_dim, config.embed_dim)
        )
        self.mouse_attn_q = nn.Linear(width, hidden, bias=False)
        self.keyboard_attn_kv = nn.Linear(config.embed_dim * inner, 2 * hidden, bias=False)
        self.proj_keyboard = nn.Linear(hidden, width, bias=False)
        nn.init.zeros_(self.proj_keyboard.weight)
        norms = ["key_attn_q_norm", "key_attn_k_norm"]
        self.mouse_mlp: nn.Sequential | None = None
        if config.mouse_dim:
            self.mouse_mlp = nn.Sequential(
                nn.Linear(width + config.mouse_dim * inner, hidden), nn.GELU(approximate="tanh"),
                nn.Linear(hidden, hidden), nn.LayerNorm(hidden),
            )  # fmt: skip
            self.t_qkv = nn.Linear(hidden, 3 * hidden, bias=False)
            self.proj_mouse = nn.Linear(hidden, width, bias=False)
            nn.init.zeros_(self.proj_mouse.weight)
            norms += ["img_attn_q_norm", "img_attn_k_norm"]
        for name in norms:
            # The reference's RMS norm never multiplies by its weight; kept as a buffer so that released files load strictly.
            holder = nn.Module()
            holder.register_buffer("weight", torch.ones(HEAD_DIM))
            self.add_module(name, holder)

    def forward(
        self, x: Tensor, keyboard: Tensor, mouse: Tensor | None, num_latent_frames: int, *, mask: Tensor | None = None
    ) -> Tensor:
        """Return `x` plus the action residuals, same shape. `mask` (f, f) boolean limits what a latent frame sees in time.

        Raises ValueError if the rows are too few for the latent frames, or the tokens do not divide by them.
        """
        self._check(x, keyboard, num_latent_frames)
        rows = group_index(num_latent_frames, ratio=self.config.ratio, window=self.config.window).to(x.device)
        if mouse is not None and self.mouse_mlp is not None:
            x = x + self._mouse(x, mouse[:, rows].flatten(2), mask)
        return x + self._keyboard(x, self.keyboard_embed(keyboard)[:, rows].flatten(2), mask)

    def _mouse(self, x: Tensor, groups: Tensor, mask: Tensor | None) -> Tensor:
        if self.mouse_mlp is None:
            raise RuntimeError("this action module was built without a mouse path")
        frames = groups.shape[1]
        maps = x.unflatten(1, (frames, -1))
        wide = groups[:, :, None].expand(-1, -1, maps.shape[2], -1)
        hidden = self.mouse_mlp(torch.cat([maps, wide], dim=-1))
        query, key, value = self.t_qkv(hidden).chunk(3, dim=-1)
        out = self._attend(self._by_position(query), self._by_position(key), self._by_position(value), mask)
        return self._to_tokens(self.proj_mouse(out), len(x))

    def _keyboard(self, x: Tensor, groups: Tensor, mask: Tensor | None) -> Tensor:
        maps = x.unflatten(1, (groups.shape[1], -1))
        query = self._by_position(self.mouse_attn_q(maps))
        key, value = self.keyboard_attn_kv(groups).chunk(2, dim=-1)
        # One token per latent frame serves every spatial position.
        key, value = (self._by_position(part[:, :, None].expand(-1, -1, maps.shape[2], -1)) for part in (key, value))
        return self._to_tokens(self.proj_keyboard(self._attend(query, key, value, mask)), len(x))

    @staticmethod
    def _by_position(maps: Tensor) -> Tensor:
        """(B, f, S, H * 64) -> (B * S, H, f, 64)."""
        return maps.transpose(1, 2).flatten(0, 1).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2)

    @staticmethod
    def _to_tokens(values: Tensor, batch: int) -> Tensor:
        """(B * S, f, C) -> (B, f * S, C)."""
        return values.unflatten(0, (batch, -1)).transpose(1, 2).flatten(1, 2)

    @staticmethod
    def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """Temporal attention per position; returns (B * S, f, H * 64)."""
        angles = rotary_angles(query.shape[2]).to(query.device)
        query, key = (rotate(unit_rms(part), angles) for part in (query, key))
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return out.transpose(1, 2).flatten(2)

    def _check(self, x: Tensor, keyboard: Tensor, num_latent_frames: int) -> None:
        needed = self.config.ratio * (num_latent_frames - 1)
        if keyboard.shape[1] < max(1, needed):
            raise ValueError(
                f"{num_latent_frames} latent frames need at least {max(1, needed)} action rows, got {keyboard.shape[1]}"
            )
        if x.shape[1] % num_latent_frames:
            raise ValueError(f"{x.shape[1]} tokens do not divide into {num_latent_frames} latent frames")


def unit_rms(x: Tensor, eps: float = 1e-6) -> Tensor:
    """Divide by the root mean square of the last axis (in float32), without any learned scale."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)).to(x.dtype)


def rotary_angles(num_latent_frames: int, start: int = 0) -> Tensor:
    """Angles (f, 4) float32 of the pairs that turn; position = absolute latent frame."""
    axis = ROTARY_AXES[0]
    frequency = ROTARY_BASE ** (-torch.arange(0, axis, 2, dtype=torch.float64) / axis)
    position = torch.arange(start, start + num_latent_frames, dtype=torch.float64)
    return (position[:, None] * frequency[None]).float()


def rotate(x: Tensor, angles: Tensor) -> Tensor:
    """Turn the first channels of x (..., f, 64) as interleaved pairs; the rest stays."""
    turning, still = x[..., : 2 * angles.shape[1]], x[..., 2 * angles.shape[1] :]
    even, odd = turning[..., ::2], turning[..., 1::2]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
    return torch.cat([turned, still], dim=-1)
