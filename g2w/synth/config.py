"""The one preset of the overlay synthesis: base laws, and six groups of domain randomization that switch by name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

GROUPS = ("layout", "appearance", "text", "stream", "motion", "codec")
FILTERS = ("area", "nearest", "bilinear", "lanczos")
SCRIPTS = ("cyrillic", "arabic", "japanese")
FORMATIONS = ("row", "column", "grid", "mirror")
ENCODERS = ("libx264", "libx265", "libsvtav1")
CHROMAS = ("yuv420p", "yuv422p", "yuv444p")
MIN_POPUP_FRAMES = 6

Span = tuple[int, int]
Weights = tuple[tuple[str, float], ...]


def _check_rates(owner: object, *names: str) -> None:
    for name in names:
        value = getattr(owner, name)
        if not 0 <= value <= 1:
            raise ValueError(f"{type(owner).__name__}.{name} is {value}, must be in 0..1")


def _check_spans(owner: object, *names: str, low: float = 0.0) -> None:
    for name in names:
        first, last = getattr(owner, name)
        if not low <= first <= last:
            raise ValueError(f"{type(owner).__name__}.{name} is {(first, last)}, needs {low} <= first <= last")


def _check_weights(owner: object, name: str, allowed: tuple[str, ...]) -> None:
    weights = getattr(owner, name)
    unknown = [key for key, _ in weights if key not in allowed]
    if unknown or not weights or min(weight for _, weight in weights) < 0 or sum(weight for _, weight in weights) <= 0:
        raise ValueError(f"{type(owner).__name__}.{name} is {weights}; give weights >= 0 to some of {allowed}")


@dataclass(frozen=True)
class LayoutGroup:
    """How elements stand together: formations (share of pairs), recombined hotbars, kill feeds that push each other."""

    formation_rate: float = 0.3
    formations: Weights = (("row", 3.0), ("column", 2.0), ("grid", 1.0), ("mirror", 3.0))
    gap_px: Span = (4, 18)
    recombined_rate: float = 0.5
    filled_rate: float = 0.8
    feed_gap_px: int = 4
    feed_push_frames: int = 6

    def __post_init__(self) -> None:
        _check_rates(self, "formation_rate", "recombined_rate", "filled_rate")
        _check_spans(self, "gap_px")
        _check_weights(self, "formations", FORMATIONS)
        if self.feed_gap_px < 0 or self.feed_push_frames < 1:
            raise ValueError(f"LayoutGroup needs feed_gap_px >= 0 and feed_push_frames >= 1: {self}")


@dataclass(frozen=True)
class AppearanceGroup:
    """How elements are drawn: translucency, frosted backdrops, glow, shadow, outline, and the filter that scaled them.

    Rates are per pair (a game has one look) but for `faint_rate`, which is per element. Lengths are pixels at 1280x720.
    """

    faint_rate: float = 0.15
    faint_opacity: tuple[float, float] = (0.35, 0.8)
    frosted_rate: float = 0.12
    frost_radius_px: Span = (3, 12)
    glow_rate: float = 0.12
    glow_px: Span = (2, 6)
    shadow_rate: float = 0.2
    shadow_px: Span = (1, 4)
    outline_rate: float = 0.12
    outline_px: Span = (1, 2)
    filters: Weights = (("area", 4.0), ("bilinear", 3.0), ("lanczos", 2.0), ("nearest", 1.0))

    def __post_init__(self) -> None:
        _check_rates(self, "faint_rate", "frosted_rate", "glow_rate", "shadow_rate", "outline_rate")
        _check_spans(self, "frost_radius_px", "glow_px", "shadow_px", "outline_px", low=1)
        _check_weights(self, "filters", FILTERS)
        if not 0 < self.faint_opacity[0] <= self.faint_opacity[1] <= 1:
            raise ValueError(f"AppearanceGroup.faint_opacity is {self.faint_opacity}, needs 0 < first <= last <= 1")


@dataclass(frozen=True)
class TextGroup:
    """Share of pairs whose words are not Latin, and the writing systems to draw from."""

    localized_rate: float = 0.3
    scripts: Weights = (("cyrillic", 1.0), ("arabic", 1.0), ("japanese", 1.0))

    def __post_init__(self) -> None:
        _check_rates(self, "localized_rate")
        _check_weights(self, "scripts", SCRIPTS)


@dataclass(frozen=True)
class StreamGroup:
    """What broadcasting does: overlays play at a rate of their own, watermarks are faint and some of them wander."""

    overlay_fps: Span = (8, 30)
    watermark_opacity: tuple[float, float] = (0.3, 1.0)
    wander_rate: float = 0.3
    wander_px: Span = (20, 160)

    def __post_init__(self) -> None:
        _check_rates(self, "wander_rate")
        _check_spans(self, "overlay_fps", low=1)
        _check_spans(self, "wander_px")
        if not 0 < self.watermark_opacity[0] <= self.watermark_opacity[1] <= 1:
            raise ValueError(f"StreamGroup.watermark_opacity is {self.watermark_opacity}, needs 0 < first <= last <= 1")


@dataclass(frozen=True)
class MotionGroup:
    """The interface of a game as a whole: it sways, shakes, is redrawn less often than the world, or is put away."""

    sway_rate: float = 0.15
    sway_px: Span = (1, 5)
    shake_rate: float = 0.1
    shake_px: Span = (2, 8)
    slow_rate: float = 0.2
    slow_fps: tuple[int, ...] = (15, 20, 24)
    transition_rate: float = 0.1
    fade_frames: Span = (4, 20)
    away_frames: Span = (6, 40)

    def __post_init__(self) -> None:
        _check_rates(self, "sway_rate", "shake_rate", "slow_rate", "transition_rate")
        _check_spans(self, "sway_px", "shake_px", "fade_frames", "away_frames", low=1)
        if not self.slow_fps or min(self.slow_fps) < 1:
            raise ValueError(f"MotionGroup.slow_fps is {self.slow_fps}, needs rates >= 1")


@dataclass(frozen=True)
class CodecGroup:
    """The stream the viewer gets: encoder, bit rate and chroma of the last encode. Only rendered pairs and cached chunks.

    Bit rates are for 1280x720 at 30 fps; AV1 and HEVC are given the share of it that services give them.
    """

    rate: float = 0.3
    encoders: Weights = (("libx264", 5.0), ("libx265", 2.0), ("libsvtav1", 2.0))
    kbps: Span = (900, 6000)
    chromas: Weights = (("yuv420p", 8.0), ("yuv422p", 1.0), ("yuv444p", 1.0))

    def __post_init__(self) -> None:
        _check_rates(self, "rate")
        _check_spans(self, "kbps", low=50)
        _check_weights(self, "encoders", ENCODERS)
        _check_weights(self, "chromas", CHROMAS)


@dataclass(frozen=True)
class SynthConfig:
    """Knobs of the overlay synthesis. Lengths in pixels of 1280x720, rates and opacities 0..1, scales are factors.

    `groups` names the randomization that is on. Every group draws from a generator of its own, so that switching one off
    leaves all other draws of a row as they are: an ablation compares like with like.
    """

    num_frames: int = 150
    fps: int = 30
    control_rate: float = 0.05
    overlap_threshold: float = 0.14
    recorded_rate: float = 0.7
    theme_coherence: float = 0.6
    margin_px: Span = (6, 44)
    jitter_px: int = 6
    ui_scale: tuple[float, float] = (0.8, 1.25)
    opacity: tuple[float, float] = (0.8, 1.0)
    popup_sigma: float = 0.55
    groups: tuple[str, ...] = GROUPS
    layout: LayoutGroup = field(default_factory=LayoutGroup)
    appearance: AppearanceGroup = field(default_factory=AppearanceGroup)
    text: TextGroup = field(default_factory=TextGroup)
    stream: StreamGroup = field(default_factory=StreamGroup)
    motion: MotionGroup = field(default_factory=MotionGroup)
    codec: CodecGroup = field(default_factory=CodecGroup)

    def __post_init__(self) -> None:
        _check_rates(self, "control_rate", "overlap_threshold", "recorded_rate", "theme_coherence")
        if self.num_frames < 2 * MIN_POPUP_FRAMES or self.fps < 1:
            raise ValueError(f"SynthConfig needs num_frames >= {2 * MIN_POPUP_FRAMES} and fps >= 1: {self}")
        if not 0 < self.ui_scale[0] <= self.ui_scale[1] or not 0 < self.opacity[0] <= self.opacity[1] <= 1:
            raise ValueError(f"SynthConfig needs 0 < ui_scale[0] <= ui_scale[1] and 0 < opacity <= 1: {self}")
        if not 0 <= self.margin_px[0] <= self.margin_px[1] or self.jitter_px < 0 or self.popup_sigma <= 0:
            raise ValueError(f"SynthConfig needs ordered margins >= 0, jitter >= 0 and popup_sigma > 0: {self}")
        unknown = sorted(set(self.groups) - set(GROUPS))
        if unknown or len(set(self.groups)) != len(self.groups):
            raise ValueError(f"SynthConfig.groups is {self.groups}; use each of {GROUPS} at most once")

    def has(self, group: str) -> bool:
        """Whether a group of randomization is on; an unknown name is an error."""
        if group not in GROUPS:
            raise ValueError(f"no group {group!r} of randomization; use one of {GROUPS}")
        return group in self.groups

    def without(self, *groups: str) -> SynthConfig:
        """The same preset with these groups off."""
        unknown = sorted(set(groups) - set(GROUPS))
        if unknown:
            raise ValueError(f"no groups {unknown} of randomization; use some of {GROUPS}")
        return replace(self, groups=tuple(name for name in self.groups if name not in groups))
