"""What all elements of a pair have in common: theme, scale, writing system, effects, motion, codec. One draw per pair."""

from __future__ import annotations

import colorsys
import random
from typing import Any

from g2w.synth.chance import chance, weighted
from g2w.synth.config import AppearanceGroup, CodecGroup, SynthConfig
from g2w.synth.motion import sample_motion

Look = dict[str, Any]
# AV1 and HEVC reach the same picture with about this share of the bits of H.264
_BIT_SHARE = {"libx264": 1.0, "libx265": 0.65, "libsvtav1": 0.5}


def sample_look(seed: int, themes: list[str], num_frames: int, config: SynthConfig) -> Look:
    """The look of one pair; keys of groups that are off are absent."""
    rng = chance(seed, "base")
    coherent = rng.random() < config.theme_coherence
    look: Look = {
        "groups": [name for name in config.groups],
        "theme": rng.choice(themes) if themes and coherent else "",
        "scale": round(rng.uniform(*config.ui_scale), 4),
        "margin": rng.randint(*config.margin_px),
    }
    if config.has("layout"):
        look.update(_formation(chance(seed, "layout"), config))
    if config.has("appearance"):
        look.update(_appearance(chance(seed, "appearance"), config.appearance))
    if config.has("text"):
        rng = chance(seed, "text")
        localized = rng.random() < config.text.localized_rate
        look["script"] = weighted(rng, config.text.scripts) if localized else "latin"
    if config.has("motion"):
        look.update(sample_motion(chance(seed, "motion"), config.motion, num_frames, config.fps))
    if config.has("codec"):
        look["codec"] = _codec(chance(seed, "codec"), config.codec)
    return look


def _formation(rng: random.Random, config: SynthConfig) -> Look:
    name = weighted(rng, config.layout.formations) if rng.random() < config.layout.formation_rate else ""
    return {"formation": name, "gap": rng.randint(*config.layout.gap_px)}


def _color(rng: random.Random, value: float) -> list[int]:
    return [round(255 * part) for part in colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.3, 1.0), value)]


def _appearance(rng: random.Random, group: AppearanceGroup) -> Look:
    """Frost is exclusive: blurring the world under a shadow or a halo is not what games do."""
    look: Look = {"filter": weighted(rng, group.filters), "frost": 0, "effects": {}}
    frosted, glow, shadow, outline = (rng.random() for _ in range(4))
    if frosted < group.frosted_rate:
        look["frost"] = rng.randint(*group.frost_radius_px)
        return look
    if glow < group.glow_rate:
        look["effects"]["glow"] = [rng.randint(*group.glow_px), *_color(rng, 1.0), rng.randint(120, 255)]
    if shadow < group.shadow_rate:
        dx, dy = rng.randint(*group.shadow_px), rng.randint(*group.shadow_px)
        look["effects"]["shadow"] = [dx, dy, rng.randint(0, 3), rng.randint(110, 230)]
    if outline < group.outline_rate:
        ink = [0, 0, 0] if rng.random() < 0.6 else _color(rng, rng.uniform(0.6, 1.0))
        look["effects"]["outline"] = [rng.randint(*group.outline_px), *ink]
    return look


def _codec(rng: random.Random, group: CodecGroup) -> Look | None:
    if rng.random() >= group.rate:
        return None
    encoder, chroma = weighted(rng, group.encoders), weighted(rng, group.chromas)
    if encoder == "libsvtav1":
        chroma = "yuv420p"  # the only layout of AV1's main profile, and of the encoder
    low, high = group.kbps
    # even in the logarithm: halving the rate hurts as much at 6 as at 2 Mbit/s
    kbps = low * (high / low) ** rng.random() * _BIT_SHARE[encoder]
    return {"encoder": encoder, "kbps": round(kbps), "chroma": chroma}
