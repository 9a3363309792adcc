"""Configuration of the world models: frozen dataclasses that validate themselves. Sizes are pixels, angles degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from models.cleaner.config import CodecConfig, DiTConfig
from models.training.loop import LoopConfig

Prior = Literal["source", "noise"]

KEYS = ("w", "a", "s", "d", "attack", "use", "sprint")
"""Order of the keyboard columns of every action array."""
MOUSE = ("mouse_dx", "mouse_dy")
"""Order of the mouse columns: yaw (+ = right) and pitch (+ = up), degrees turned per frame."""


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


@dataclass(frozen=True)
class ActionConfig:
    """Keyboard and mouse module. `blocks` = indices of the transformer blocks that get one; `ratio` = video frames per
    latent frame, `window` = latent steps an action group spans; mouse degrees are divided by `mouse_unit_degrees`."""

    blocks: tuple[int, ...]
    num_keys: int = len(KEYS)
    mouse_dim: int = len(MOUSE)
    embed_dim: int = 128
    num_heads: int = 16
    ratio: int = 4
    window: int = 3
    mouse_unit_degrees: float = 2.0

    def __post_init__(self) -> None:
        sizes = {"num_keys": self.num_keys, "embed_dim": self.embed_dim, "num_heads": self.num_heads,
                 "ratio": self.ratio, "window": self.window, "mouse_unit_degrees": self.mouse_unit_degrees}  # fmt: skip
        for name, value in sizes.items():
            _require(value > 0, f"ActionConfig.{name} must be positive, got {value}")
        _require(self.mouse_dim >= 0, f"ActionConfig.mouse_dim must be 0 or more, got {self.mouse_dim}")
        _require(len(set(self.blocks)) == len(self.blocks), f"ActionConfig.blocks repeats a block: {self.blocks}")


@dataclass(frozen=True)
class MotionConfig:
    """Motion head: x0 = first frame warped by predicted displacements + decoded residual (as in video coding, and in
    action-conditioned prediction by pixel motion, Finn et al. 2016). `cells` displacements per token side and frame, in
    units of `unit_px` pixels per frame, on top of one smooth field of the whole picture; the photometric loss runs on
    `num_levels` resolutions. `flow_weight`: weight of the distance to the optical flow of the real frames, which teaches a
    pan in far fewer steps than the pictures alone do."""

    cells: int = 1
    unit_px: float = 2.0
    num_levels: int = 2
    flow_weight: float = 2.0

    def __post_init__(self) -> None:
        _require(self.cells > 0 and self.unit_px > 0, f"MotionConfig sizes must be positive, got {self}")
        _require(self.num_levels >= 1, f"MotionConfig.num_levels must be at least 1, got {self.num_levels}")
        _require(self.flow_weight >= 0, f"MotionConfig.flow_weight must be 0 or more, got {self.flow_weight}")


@dataclass(frozen=True)
class ObjectiveConfig:
    """Flow matching: z_t = (1 - s) clean + s start. `prior` "noise" (published) or "source" (start = first frame repeated).

    `start_share` of the samples sit exactly at s = 1, where a one-step sampler starts. `num_steps` of the sampler.
    """

    prior: Prior = "noise"
    shift: float = 5.0
    start_share: float = 0.0
    num_steps: int = 50

    def __post_init__(self) -> None:
        _require(
            self.prior in ("source", "noise"), f"ObjectiveConfig.prior must be 'source' or 'noise', got {self.prior!r}"
        )
        _require(
            0.0 <= self.start_share <= 1.0, f"ObjectiveConfig.start_share must lie in [0, 1], got {self.start_share}"
        )
        _require(self.num_steps >= 1 and self.shift > 0, f"ObjectiveConfig needs num_steps >= 1, shift > 0, got {self}")


@dataclass(frozen=True)
class WindowConfig:
    """Windows cut from clips: `num_frames` = 4n+1 of every `stride`-th video frame at `width` x `height`."""

    num_frames: int
    height: int
    width: int
    stride: int = 1

    def __post_init__(self) -> None:
        _require(
            self.num_frames % 4 == 1 and self.num_frames > 1,
            f"WindowConfig.num_frames must be 4n+1, got {self.num_frames}",
        )
        _require(self.stride >= 1, f"WindowConfig.stride must be at least 1, got {self.stride}")

    @property
    def span(self) -> int:
        """Video frames from the first to the last frame of a window, both counted."""
        return (self.num_frames - 1) * self.stride + 1


@dataclass(frozen=True)
class ContextConfig:
    """Cross-attention context. "table": `num_tokens` learned vectors per caption (tiny); "umt5": the text encoder of
    `weights` (directory or hub id)."""

    kind: Literal["table", "umt5"]
    num_tokens: int = 4
    weights: str | None = None

    def __post_init__(self) -> None:
        _require(self.kind in ("table", "umt5"), f"ContextConfig.kind must be 'table' or 'umt5', got {self.kind!r}")
        _require(self.num_tokens > 0, f"ContextConfig.num_tokens must be positive, got {self.num_tokens}")
        _require(
            (self.kind == "umt5") == (self.weights is not None),
            "ContextConfig.weights belongs to kind 'umt5', and only to it",
        )


def foreign_parts(config: WorldConfig | PilotConfig) -> list[str]:
    """Name prefixes of the parts that come from a weights directory: a checkpoint does not hold them again."""
    body = "body.transformer." if isinstance(config, WorldConfig) else "transformer."
    named = {"context.": config.context.weights, "codec.": config.codec.weights, body: config.dit.weights}
    return [prefix for prefix, weights in named.items() if weights is not None]


def check_sizes(dit: DiTConfig, codec: CodecConfig, window: WindowConfig) -> None:
    """Raise ValueError unless channels agree and frame sides divide into codec patches and transformer patches."""
    _require(dit.channels == codec.channels, f"DiT has {dit.channels} channels, codec {codec.channels}")
    for side, size, step, patch in (
        ("height", window.height, codec.patch[1], dit.patch[1]),
        ("width", window.width, codec.patch[2], dit.patch[2]),
    ):
        _require(
            size % (step * patch) == 0,
            f"window.{side} {size} is no multiple of codec step x DiT patch = {step * patch}",
        )


@dataclass(frozen=True)
class WorldConfig:
    """Everything that shapes an action-conditioned model; `preset` is a name for people, the fields decide.

    `coordinates`: two more input channels, column and row in [-1, 1]. A pan moves the border of a picture faster than its
    middle, and rotary codes know only distances. `fill`: what the image condition holds after the first frame ("gray" is
    published). `flip_share` of training windows is mirrored, with yaw negated and left and right keys exchanged;
    `turn_share` is drawn from windows that turn more than the median.
    """

    preset: str
    dit: DiTConfig
    codec: CodecConfig
    actions: ActionConfig
    window: WindowConfig
    objective: ObjectiveConfig
    train: LoopConfig
    context: ContextConfig
    motion: MotionConfig | None = None
    coordinates: bool = False
    fill: Literal["gray", "repeat"] = "gray"
    flip_share: float = 0.0
    turn_share: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self.dit, self.codec, self.window)
        outside = [block for block in self.actions.blocks if not 0 <= block < self.dit.num_layers]
        _require(not outside, f"action blocks {outside} do not exist: the DiT has {self.dit.num_layers} layers")
        _require(self.fill in ("gray", "repeat"), f"WorldConfig.fill must be 'gray' or 'repeat', got {self.fill!r}")
        for name in ("flip_share", "turn_share"):
            _require(
                0.0 <= getattr(self, name) <= 1.0, f"WorldConfig.{name} must lie in [0, 1], got {getattr(self, name)}"
            )


@dataclass(frozen=True)
class PilotConfig:
    """Everything that shapes one arm of the pilot: the arms differ in their training frames only.

    `guess_rank` 0: the transformer predicts the velocity, as published. Above 0: it predicts what is left of it beside
    the best linear guess, whose covariance has that many directions (`LinearGuess`).
    `coordinates`: two more input channels, column and row in [-1, 1].
    """

    preset: str
    dit: DiTConfig
    codec: CodecConfig
    window: WindowConfig
    objective: ObjectiveConfig
    train: LoopConfig
    context: ContextConfig
    lora_rank: int = 0
    guess_rank: int = 0
    coordinates: bool = False

    def __post_init__(self) -> None:
        check_sizes(self.dit, self.codec, self.window)
        _require(self.objective.prior == "noise", "the pilot generates from noise: objective.prior must be 'noise'")
        _require(self.guess_rank >= 0, f"PilotConfig.guess_rank must be 0 (no guess) or more, got {self.guess_rank}")
        _require(
            self.lora_rank >= 0, f"PilotConfig.lora_rank must be 0 (train all weights) or more, got {self.lora_rank}"
        )


_PARTS: dict[str, type] = {
    "dit": DiTConfig, "codec": CodecConfig, "actions": ActionConfig, "window": WindowConfig,
    "objective": ObjectiveConfig, "train": LoopConfig, "context": ContextConfig, "motion": MotionConfig,
}  # fmt: skip


def _build(values: dict[str, Any]) -> dict[str, Any]:
    def part(kind: type, raw: dict[str, Any]) -> Any:
        return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()})

    return {
        name: part(_PARTS[name], value) if name in _PARTS and value is not None else value
        for name, value in values.items()
    }


def world_config_from_dict(values: dict[str, Any]) -> WorldConfig:
    """Rebuild a WorldConfig from `dataclasses.asdict` after a trip through JSON."""
    return WorldConfig(**_build(values))


def pilot_config_from_dict(values: dict[str, Any]) -> PilotConfig:
    """Rebuild a PilotConfig from `dataclasses.asdict` after a trip through JSON."""
    return PilotConfig(**_build(values))
