"""Configuration of the GameCleaner: frozen dataclasses that validate themselves. Sizes are pixels, `patch` is (frames,
rows, columns)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from models.cleaner.augment import AugmentConfig
from models.lite.config import FillConfig
from models.training.loop import LoopConfig

Prior = Literal["source", "noise"]
Gate = Literal["sigma", "one"]
Weighting = Literal["kiwi", "uniform"]

INSTRUCTION = (
    "Remove every screen-space interface element (HUD, text, icons, watermarks). Reconstruct the background behind it "
    "consistently over time; all other content must remain unchanged."
)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


@dataclass(frozen=True)
class DiTConfig:
    """Shape of the diffusers `WanTransformer3DModel` (width = num_heads * head_dim). `weights` = directory or hub id,
    or None."""

    num_heads: int
    head_dim: int
    num_layers: int
    ffn_dim: int
    channels: int
    freq_dim: int = 256
    text_dim: int = 4096
    patch: tuple[int, int, int] = (1, 1, 1)
    rope_max_seq_len: int = 1024
    weights: str | None = None

    def __post_init__(self) -> None:
        _require(
            self.head_dim % 2 == 0 and self.head_dim >= 12,
            f"DiTConfig.head_dim must be even and >= 12, got {self.head_dim}",
        )
        _require(self.num_layers > 0, f"DiTConfig.num_layers must be positive, got {self.num_layers}")

    @property
    def width(self) -> int:
        """Channels of the residual stream."""
        return self.num_heads * self.head_dim


@dataclass(frozen=True)
class CodecConfig:
    """Latent codec. `kind` "pca": closed-form patch autoencoder (fitted, stored in the checkpoint); "wan":
    `AutoencoderKLWan`."""

    kind: Literal["pca", "wan"]
    channels: int
    patch: tuple[int, int, int]
    weights: str | None = None
    tiny_vae: bool = False

    def __post_init__(self) -> None:
        size = 3 * self.patch[0] * self.patch[1] * self.patch[2]
        _require(
            0 < self.channels <= size,
            f"CodecConfig.channels must lie in 1..{size} for patch {self.patch}, got {self.channels}",
        )


@dataclass(frozen=True)
class MLLMConfig:
    """Condition encoder. `weights` None = a small Qwen2.5-VL built from scratch with seed `init_seed` (frozen, never
    downloaded)."""

    hidden: int
    num_queries: int = 16
    max_frames: int = 4
    max_pixels: int = 28 * 28 * 8
    weights: str | None = None
    init_seed: int = 1
    query_slice: Literal["placeholder", "tail"] = "placeholder"

    def __post_init__(self) -> None:
        _require(self.num_queries > 0, f"MLLMConfig.num_queries must be positive, got {self.num_queries}")
        _require(self.max_pixels >= 28 * 28, f"MLLMConfig.max_pixels must be at least 784, got {self.max_pixels}")


@dataclass(frozen=True)
class FlowConfig:
    """Flow matching. `prior` "noise": z_t = (1-s) clean + s noise (published); "source": the bridge z_t = (1-s) clean +
    s source.

    `gate` multiplies the source embedding: "sigma" (published) or "one". `start_share` = share of samples trained
    exactly at sigma 1, where a one-step sampler starts. `weighting` "kiwi" = the published per-timestep loss weights.
    `refill_share` > 0 (bridge only): that share of samples starts from the source with its interface smoothed over, and
    the sampler does the same with the mask the network reads off the source, so that opaque panels leave no tint.
    """

    prior: Prior = "noise"
    gate: Gate = "sigma"
    weighting: Weighting = "kiwi"
    shift: float = 5.0
    start_share: float = 0.0
    refill_share: float = 0.0
    num_steps: int = 50
    zero_source_embedder: bool = True

    def __post_init__(self) -> None:
        _require(self.prior in ("source", "noise"), f"FlowConfig.prior must be 'source' or 'noise', got {self.prior!r}")
        _require(0.0 <= self.start_share < 1.0, f"FlowConfig.start_share must lie in [0, 1), got {self.start_share}")
        _require(0.0 <= self.refill_share < 1.0, f"FlowConfig.refill_share must lie in [0, 1), got {self.refill_share}")
        _require(self.prior == "source" or not self.refill_share, "FlowConfig.refill_share needs prior 'source'")
        _require(self.num_steps >= 1 and self.shift > 0, f"FlowConfig needs num_steps >= 1 and shift > 0, got {self}")


@dataclass(frozen=True)
class MaskHeadConfig:
    """UI mask head: `token_features` channels per DiT sub-token, `width` channels in the pixel branch; loss weight of
    the mask.

    `num_groups` latent frames of a sample, drawn anew, teach the mask in a step (None = all): neighbours show nearly the
    same interface, and the convolutions over them are half of what a step costs at the tiny size.
    """

    token_features: int = 8
    width: int = 24
    loss_weight: float = 1.0
    num_groups: int | None = None

    def __post_init__(self) -> None:
        _require(self.token_features > 0 and self.width > 0, f"MaskHeadConfig sizes must be positive, got {self}")
        _require(
            self.num_groups is None or self.num_groups > 0,
            f"MaskHeadConfig.num_groups must be positive or None, got {self.num_groups}",
        )


@dataclass(frozen=True)
class LoRAConfig:
    """peft adapter on the DiT (published: rank 64, alpha = rank, on attention and feed-forward projections)."""

    rank: int = 64
    targets: tuple[str, ...] = ("to_q", "to_k", "to_v", "to_out.0", "ffn.net.0.proj", "ffn.net.2")

    def __post_init__(self) -> None:
        _require(self.rank > 0, f"LoRAConfig.rank must be positive, got {self.rank}")


@dataclass(frozen=True)
class WindowConfig:
    """Sliding windows at inference and in training: `num_frames` = 4n+1, every `stride`-th video frame, inner size in
    pixels.

    The mask head also sees `num_far` frames spread over the `far_span` video frames around a window: a second of video
    does not show what stands still because it is interface and what only because the camera rests.
    """

    num_frames: int = 9
    stride: int = 2
    hop: int = 8
    height: int = 144
    width: int = 256
    num_far: int = 8
    far_span: int = 150

    def __post_init__(self) -> None:
        _require(self.num_frames % 4 == 1, f"WindowConfig.num_frames must be 4n+1, got {self.num_frames}")
        _require(0 < self.hop <= self.num_frames, f"WindowConfig.hop must lie in 1..{self.num_frames}, got {self.hop}")
        _require(self.stride >= 1, f"WindowConfig.stride must be >= 1, got {self.stride}")
        _require(
            self.num_far >= 1 and self.far_span >= 1,
            f"WindowConfig needs num_far, far_span >= 1, got {self.num_far}, {self.far_span}",
        )


@dataclass(frozen=True)
class CompositeConfig:
    """How the inner result is pasted at full size.

    `low`..`high` is the ramp from probability to soft mask, `dilate` adds inner pixels, `min_peak` is what a region
    must reach somewhere. At full size the mask starts at `level` of the ramp, grows by `grow_px` and is read every
    `hop` frames. `picture` is the share of the model's own picture in what is filled in, beside the smooth
    continuation of the surroundings; with 0 the sampler need not run. Probabilities are averaged over time, because
    interface stays in place while its look-alikes move on: over `long_radius` video frames, or over `short_radius`
    frames (for what shows briefly) at a price of `short_discount` in log odds. Holes up to `max_hole` of the picture
    inside a region are closed.
    """

    low: float = 0.4
    high: float = 0.7
    dilate: int = 0
    min_peak: float = 0.9
    short_radius: int = 12
    long_radius: int = 60
    short_discount: float = 1.5
    max_hole: float = 0.01
    picture: float = 1.0
    level: float = 0.2
    grow_px: int = 3
    hop: int = 6

    def __post_init__(self) -> None:
        _require(
            0 < self.low < self.high <= 1, f"CompositeConfig needs 0 < low < high <= 1, got {self.low}, {self.high}"
        )
        _require(0 <= self.picture <= 1, f"CompositeConfig.picture is a share in [0, 1], got {self.picture}")
        _require(
            0 < self.level < 1 and self.grow_px >= 0 and self.hop >= 1,
            f"CompositeConfig needs 0 < level < 1, grow_px >= 0 and hop >= 1: {self}",
        )


@dataclass(frozen=True)
class CleanerConfig:
    """Everything that shapes a GameCleaner; `preset` is a name for people, the fields decide."""

    preset: str
    dit: DiTConfig
    codec: CodecConfig
    mllm: MLLMConfig
    flow: FlowConfig
    window: WindowConfig
    train: LoopConfig
    mask: MaskHeadConfig = field(default_factory=MaskHeadConfig)
    composite: CompositeConfig = field(default_factory=CompositeConfig)
    fill: FillConfig = field(default_factory=FillConfig)
    augment: AugmentConfig = field(default_factory=AugmentConfig)
    lora: LoRAConfig | None = None
    reference_dropout: float = 0.2
    instruction: str = INSTRUCTION

    def __post_init__(self) -> None:
        _require(
            self.dit.channels == self.codec.channels,
            f"DiT has {self.dit.channels} channels, codec {self.codec.channels}",
        )
        _require(
            0.0 <= self.reference_dropout <= 1.0, f"reference_dropout must lie in [0, 1], got {self.reference_dropout}"
        )
        for side, size, step, patch in (
            ("height", self.window.height, self.codec.patch[1], self.dit.patch[1]),
            ("width", self.window.width, self.codec.patch[2], self.dit.patch[2]),
        ):
            _require(
                size % (step * patch) == 0,
                f"window.{side} {size} is no multiple of codec step x DiT patch = {step * patch}",
            )


def config_from_dict(values: dict[str, Any]) -> CleanerConfig:
    """Rebuild a CleanerConfig from `dataclasses.asdict` after a trip through JSON (lists become tuples again)."""

    def build(kind: type, raw: dict[str, Any]) -> Any:
        unknown = sorted(set(raw) - {each.name for each in fields(kind)})
        if unknown:
            raise ValueError(
                f"{kind.__name__} has no field {unknown}: written by another version of g2w, train it again"
            )
        return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()})

    parts = {
        "dit": DiTConfig,
        "codec": CodecConfig,
        "mllm": MLLMConfig,
        "flow": FlowConfig,
        "window": WindowConfig,
        "train": LoopConfig,
        "mask": MaskHeadConfig,
        "composite": CompositeConfig,
        "fill": FillConfig,
        "augment": AugmentConfig,
        "lora": LoRAConfig,
    }
    built = {
        name: build(parts[name], value) if name in parts and value is not None else value
        for name, value in values.items()
    }
    return build(CleanerConfig, built)
