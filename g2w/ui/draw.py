"""The starter library: every class of the taxonomy drawn by our own code, many seeded variants in two style sets.

Changing content (bars, counters, timers, scrolling) is drawn once into a strip of states stacked from top to bottom,
so that composing a frame later is integer arithmetic on ready pixels.
"""

from __future__ import annotations

import hashlib
import io
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from g2w.ui.drawing import navigation, slots, status, stream, words
from g2w.ui.drawing.scripts import SCRIPTS, missing_reason
from g2w.ui.drawing.style import Theme, theme
from g2w.ui.taxonomy import load_taxonomy

DRAWING_VERSION = "2"
NUM_VARIANTS = {"a": 10, "b": 5}
LICENCE = "Apache-2.0"
ATTRIBUTION = {
    "a": "drawn by g2w; lettering DejaVu (Bitstream Vera licence, public domain changes), Noto Sans JP and Arabic (SIL OFL 1.1)",
    "b": "drawn by g2w; lettering Aileron (CC0), STIX, Noto Serif JP and Noto Naskh Arabic (SIL OFL 1.1)",
}
MAX_SIDE = 640
LOCALIZED = ("objective_tracker", "chat_comms", "screen_notice", "interaction_prompt", "subtitle")
LOCALIZED_EVERY = 4  # one localized variant for so many Latin ones
NUM_ICONS = 3

_DRAWERS: dict[str, Callable[[Theme, random.Random], list[np.ndarray]]] = {
    "player_status": status.player_status,
    "map_radar": navigation.map_radar,
    "crosshair": navigation.crosshair,
    "weapon_ammo": slots.weapon_ammo,
    "ability_status": slots.ability_status,
    "inventory": slots.inventory,
    "objective_tracker": words.objective_tracker,
    "match_status": words.match_status,
    "navigation_compass": navigation.navigation_compass,
    "team_status": status.team_status,
    "chat_comms": words.chat_comms,
    "vehicle_status": status.vehicle_status,
    "watermark": stream.watermark,
    "stream_overlay": stream.stream_overlay,
    "other_hud": words.other_hud,
    "screen_notice": words.screen_notice,
    "interaction_prompt": words.interaction_prompt,
    "subtitle": words.subtitle,
    "event_feed": words.event_feed,
    "target_status": status.target_status,
    "damage_feedback": navigation.damage_feedback,
}


_PARTS: dict[str, Callable[[Theme, random.Random], list[np.ndarray]]] = {
    "bar": slots.hotbar,
    "icon": slots.hotbar_icon,
}


@dataclass(frozen=True)
class Asset:
    """One transparent element.

    `pixels`: uint8 (num_states * height, width, 4), straight alpha, states from top to bottom. `theme` groups assets of
    one imaginary game; "a03:arabic" is its translation, "a03:bar" and "a03:icon" are loose parts of hotbars. `x`, `y`
    are the recorded position (top left, at 1280x720) of extracted elements, else None.
    """

    cls: str
    style_set: str
    pixels: np.ndarray
    num_states: int
    theme: str
    source: str
    source_ref: str
    licence: str
    attribution: str
    x: int | None = None
    y: int | None = None
    confidence: float = 1.0
    alpha_error: float | None = None
    accepted_by: str = "drawn"

    def __post_init__(self) -> None:
        where = f"asset {self.cls}/{self.source_ref}"
        if self.cls not in load_taxonomy().names:
            raise ValueError(f"{where}: unknown class; use one of {load_taxonomy().names}")
        if self.pixels.dtype != np.uint8 or self.pixels.ndim != 3 or self.pixels.shape[2] != 4:
            raise ValueError(
                f"{where}: pixels must be uint8 (rows, width, 4), got {self.pixels.dtype} {self.pixels.shape}"
            )
        if self.num_states < 1 or self.pixels.shape[0] % self.num_states:
            raise ValueError(f"{where}: {self.pixels.shape[0]} rows do not hold {self.num_states} equal states")
        if not self.pixels[..., 3].any():
            raise ValueError(f"{where}: nothing is visible")

    @property
    def width(self) -> int:
        """Width of one state in pixels at 1280x720."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Height of one state in pixels at 1280x720."""
        return int(self.pixels.shape[0]) // self.num_states

    @property
    def asset_id(self) -> str:
        """Content hash of class, size and pixels (16 hex digits)."""
        head = f"{self.cls}:{self.pixels.shape}:{self.num_states}:".encode()
        return hashlib.sha256(head + np.ascontiguousarray(self.pixels).tobytes()).hexdigest()[:16]

    def png(self) -> bytes:
        """The strip as PNG bytes; the same pixels give the same bytes for one Pillow version."""
        buffer = io.BytesIO()
        Image.fromarray(self.pixels, "RGBA").save(buffer, format="PNG", compress_level=4)
        return buffer.getvalue()


def draw_asset(cls: str, style_set: str, seed: int, index: int, variant: str = "") -> Asset:
    """Variant `index` of a class: a pure function of its arguments (and of the Pillow version).

    Args:
        variant: "" for the whole element in Latin letters, one of SCRIPTS for a localized one, "bar" or "icon0",
            "icon1", ... for a part of a hotbar.
    """
    look, name = theme(style_set, seed, index), f"{style_set}/{seed}/{index}/{cls}"
    drawer, kind = _DRAWERS[cls], variant.rstrip("0123456789")
    if kind in SCRIPTS:
        look = replace(look, script=kind)
    elif kind:
        drawer = _PARTS[kind]
    rng = random.Random(f"draw:{DRAWING_VERSION}:{style_set}:{seed}:{index}:{cls}{variant and ':' + variant}")
    pixels, num_states = _strip(drawer(look, rng))
    return Asset(
        cls=cls,
        style_set=style_set,
        pixels=pixels,
        num_states=num_states,
        theme=f"{style_set}{index:02d}" + (f":{kind}" if kind else ""),
        source="drawn",
        source_ref=name + (f"/{variant}" if variant else ""),
        licence=LICENCE,
        attribution=ATTRIBUTION[style_set],
    )


def iter_starter(style_set: str, seed: int, *, num_variants: int | None = None) -> Iterator[Asset]:
    """All variants of all classes of one style set, then parts of hotbars and localized elements, in a fixed order.

    A writing system that this machine cannot write is left out with a warning that says why.
    """
    count = NUM_VARIANTS[style_set] if num_variants is None else num_variants
    for index in range(count):
        for cls in load_taxonomy().names:
            yield draw_asset(cls, style_set, seed, index)
    for index in range(count):
        for variant in ("bar", *(f"icon{k}" for k in range(NUM_ICONS))):
            yield draw_asset("inventory", style_set, seed, index, variant)
    for script in SCRIPTS:
        reason = missing_reason(script)
        if reason is not None:
            warnings.warn(f"no {script} interfaces in the starter library: {reason}", stacklevel=2)
            continue
        for index in range(-(-count // LOCALIZED_EVERY)):
            for cls in LOCALIZED:
                yield draw_asset(cls, style_set, seed, index, script)


def starter_library(style_set: str, seed: int = 0, *, num_variants: int | None = None) -> list[Asset]:
    """The drawn assets of style set `a` (training) or `b` (benchmark): at least 8, respectively 4, per class.

    Raises:
        ValueError: for another style set.
    """
    if style_set not in NUM_VARIANTS:
        raise ValueError(f"style_set is {style_set!r}; use one of {tuple(NUM_VARIANTS)}")
    return list(iter_starter(style_set, seed, num_variants=num_variants))


def _strip(states: list[np.ndarray]) -> tuple[np.ndarray, int]:
    """Crop all states to their common visible box and stack them."""
    coverage = np.max(np.stack([state[..., 3] for state in states]), axis=0)
    ys, xs = np.flatnonzero(coverage.any(axis=1)), np.flatnonzero(coverage.any(axis=0))
    y0, y1, x0, x1 = ys[0], ys[-1] + 1, xs[0], xs[-1] + 1
    if max(y1 - y0, x1 - x0) > MAX_SIDE:
        states = [state[y0 : y0 + MAX_SIDE] for state in states]
    strip = np.concatenate([state[y0:y1, x0:x1] for state in states])
    strip[strip[..., 3] == 0] = 0
    return strip, len(states)
