"""Configuration of the lite cleaner: frozen dataclasses that check themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from models.lite.evidence import EvidenceConfig
from models.training.loop import LoopConfig


@dataclass(frozen=True)
class PairConfig:
    """How training crops are drawn.

    Attributes:
        crop: (width, height) of a crop at the inner size.
        crops_per_window: crops taken from one rendered window, because rendering costs as much as learning.
        frame_step: every how many frames of a clip are kept in memory; offsets of the evidence are rounded to it.
        max_clips: clips kept in memory, spread evenly over those given.
        mirror, permute_channels, freeze, compress: probability of each augmentation per window.
        flicker: probability per window that the world's light changes from frame to frame, while it may keep still.
        ui_bias: share of the crops that are aimed at an element; the others may fall anywhere.
        gain: range of brightness factors.
        min_span_share: shortest part of the span that the long statistics may be taken from.
    """

    crop: tuple[int, int] = (320, 192)
    crops_per_window: int = 2
    frame_step: int = 2
    max_clips: int = 12
    mirror: float = 0.4
    permute_channels: float = 0.1
    freeze: float = 0.1
    compress: float = 0.4
    flicker: float = 0.1
    ui_bias: float = 0.6
    gain: tuple[float, float] = (0.7, 1.4)
    min_span_share: float = 0.1

    def __post_init__(self) -> None:
        for name in ("mirror", "permute_channels", "freeze", "compress", "flicker", "ui_bias", "min_span_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"PairConfig.{name} must lie in [0, 1], got {getattr(self, name)}")
        if min(*self.crop, self.crops_per_window, self.frame_step, self.max_clips) < 1:
            raise ValueError(f"PairConfig counts and sizes must be positive: {self}")
        if not 0.0 < self.gain[0] <= self.gain[1]:
            raise ValueError(f"PairConfig.gain must be a positive range, got {self.gain}")


@dataclass(frozen=True)
class MaskConfig:
    """From probabilities to the mask of a frame.

    Attributes:
        hop: frames between two looks of the segmenter.
        low, peak, mean: a region above `low` counts if its probability reaches `peak` somewhere, and if a large one
            reaches `mean` on average.
        max_hole_share: holes in the mask up to this share of the picture are filled.
        smooth: looks on either side that are averaged with a look's own.
        grow_px: full-size pixels added around the mask, because a rim of glyph left behind is read as the glyph.
    """

    hop: int = 6
    low: float = 0.4
    peak: float = 0.75
    mean: float = 0.7
    max_hole_share: float = 0.02
    smooth: int = 3
    grow_px: int = 3

    def __post_init__(self) -> None:
        if not 0.0 < self.low <= min(self.peak, self.mean) < 1.0:
            raise ValueError(f"MaskConfig needs 0 < low <= peak, mean < 1, got {self.low}, {self.peak}, {self.mean}")
        if not 0.0 <= self.max_hole_share < 1.0:
            raise ValueError(f"MaskConfig.max_hole_share must lie in [0, 1), got {self.max_hole_share}")
        if self.hop < 1 or self.smooth < 0 or self.grow_px < 0:
            raise ValueError(f"MaskConfig needs hop >= 1, smooth >= 0 and grow_px >= 0: {self}")


@dataclass(frozen=True)
class FillConfig:
    """How hidden pixels are filled.

    Attributes:
        context_px: world around a region that its fill may look at.
        matte_frames: frames that a matte is estimated from, spread over a span.
        min_matte_frames: fewer frames than this with the overlay in place give no matte.
        min_transmission: what lets less light through counts as opaque.
        min_activity: gray levels by which the world must change between matte frames for an overlay to be told from it.
        feather_px: width of the soft edge inside the mask.
        trust: share of the detail seen through an overlay that goes into the fill, in [0, 1]: it is noisy.
    """

    context_px: int = 24
    matte_frames: int = 32
    min_matte_frames: int = 8
    min_transmission: float = 0.15
    min_activity: float = 4.0
    feather_px: int = 1
    trust: float = 0.7

    def __post_init__(self) -> None:
        if self.context_px < 8 or self.feather_px < 0 or not 2 <= self.min_matte_frames <= self.matte_frames:
            raise ValueError(f"FillConfig needs context_px >= 8, 2 <= min_matte_frames <= matte_frames: {self}")
        if not 0.0 < self.min_transmission < 1.0 or self.min_activity < 0.0 or not 0.0 <= self.trust <= 1.0:
            raise ValueError(f"FillConfig needs 0 < min_transmission < 1, 0 <= trust <= 1, min_activity >= 0: {self}")


@dataclass(frozen=True)
class LiteConfig:
    """Everything that shapes a lite cleaner. `widths` are the channels of the U-Net's levels, each divisible by 4."""

    preset: str
    train: LoopConfig
    widths: tuple[int, int, int, int, int] = (16, 24, 32, 48, 64)
    evidence: EvidenceConfig = field(default_factory=EvidenceConfig)
    pairs: PairConfig = field(default_factory=PairConfig)
    mask: MaskConfig = field(default_factory=MaskConfig)
    fill: FillConfig = field(default_factory=FillConfig)

    def __post_init__(self) -> None:
        if any(width < 4 or width % 4 for width in self.widths) or len(self.widths) != 5:
            raise ValueError(f"LiteConfig.widths needs five multiples of 4, got {self.widths}")
        crop, inner = self.pairs.crop, (self.evidence.width, self.evidence.height)
        if crop[0] > inner[0] or crop[1] > inner[1] or crop[0] % 2 or crop[1] % 2:
            raise ValueError(f"PairConfig.crop {crop} must be even and fit into the inner size {inner}")


def config_from_dict(values: dict[str, Any]) -> LiteConfig:
    """Inverse of `dataclasses.asdict` through JSON: lists become tuples again, and everything is validated."""
    parts = {
        "train": LoopConfig,
        "evidence": EvidenceConfig,
        "pairs": PairConfig,
        "mask": MaskConfig,
        "fill": FillConfig,
    }
    plain = {name: _tupled(value) for name, value in values.items()}
    for name, kind in parts.items():
        plain[name] = kind(**{key: _tupled(value) for key, value in values[name].items()})
    return LiteConfig(**plain)


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
