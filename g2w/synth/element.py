"""The element of a recipe row: a placed draft with its animation, states, effects and path, ready for JSON."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from g2w.synth.chance import chance
from g2w.synth.config import SynthConfig
from g2w.synth.draft import Draft
from g2w.synth.dynamics import Track, state_track, video_track
from g2w.synth.look import Look
from g2w.synth.motion import OVER_GAME

_ENTER_FRAMES = {
    "instant": (0, 0),
    "fade": (4, 12),
    "slide": (6, 14),
    "wipe_trail": (6, 15),
    "pop": (4, 9),
    "border_arc": (6, 18),
}
# Nothing to blur behind them, or lettering that must stay thin
_NEVER_FROSTED = frozenset({"crosshair", "damage_feedback", "subtitle"}) | OVER_GAME
# A match clock ticks once a second, whatever its class does in general
_DYNAMICS = {"match_status": "clock"}
_FROSTED_OPACITY = (0.45, 0.85)


@dataclass(frozen=True)
class Spot:
    """Where a draft stands: top left corner of its box, how it got there, its zone, its path [[frame, dx, dy], ...]."""

    x: int
    y: int
    how: str
    zone: str
    path: Track


def make_element(seed: int, index: int, draft: Draft, spot: Spot, look: Look, config: SynthConfig) -> dict[str, Any]:
    """Element number `index` of the row. Keys parts, path, filter, effects and frost are there only where they act."""
    rng, item = chance(seed, "change", draft.number), draft.item
    animation, enter, leave = _animation(rng, draft)
    num_states = int(draft.asset.get("num_states") or 1)
    element: dict[str, Any] = {
        "element_id": f"e{index:02d}",
        "asset_id": draft.asset["asset_id"],
        "cls": item.name,
        "x": spot.x + draft.pad,
        "y": spot.y + draft.pad,
        "w": draft.w,
        "h": draft.h,
        "start": draft.start,
        "stop": draft.stop,
        "animation": animation,
        "enter": enter,
        "leave": leave,
        "opacity": round(255 * rng.uniform(*config.opacity)) if rng.random() < 0.5 else 255,
        "num_states": num_states,
        "states": state_track(rng, _DYNAMICS.get(item.name, item.dynamics), num_states, draft.start, draft.stop),
        "placed": spot.how,
        "zone": spot.zone,
    }
    if draft.parts:
        element["parts"] = list(draft.parts)
    if spot.path:
        element["path"] = spot.path
    if item.name in OVER_GAME:
        element.update(_broadcast(chance(seed, "stream", draft.number), element, config))
    elif config.has("appearance"):
        element.update(_appear(chance(seed, "appearance", draft.number), item.name, look, config))
    return element


def _animation(rng: random.Random, draft: Draft) -> tuple[str, int, int]:
    """Name, frames to enter, frames to leave."""
    half = (draft.stop - draft.start) // 2
    if draft.item.is_popup:
        names, weights = zip(*draft.item.animations, strict=True)
        name = rng.choices(names, weights)[0]
        return name, *(min(half, rng.randint(*_ENTER_FRAMES[name])) for _ in range(2))
    if draft.item.persistence == "state_gated" and draft.start > 0:
        return "fade", min(half, 8), 0
    return "instant", 0, 0


def _appear(rng: random.Random, cls: str, look: Look, config: SynthConfig) -> dict[str, Any]:
    """What the look of the pair does to one element of the game."""
    group, changes = config.appearance, {"filter": look["filter"]}
    faint, opacity = rng.random() < group.faint_rate, rng.uniform(*group.faint_opacity)
    if look["effects"]:
        changes["effects"] = look["effects"]
    if look["frost"] and cls not in _NEVER_FROSTED:
        return {**changes, "frost": look["frost"], "opacity": round(255 * rng.uniform(*_FROSTED_OPACITY))}
    return {**changes, "opacity": round(255 * opacity)} if faint else changes


def _broadcast(rng: random.Random, element: dict[str, Any], config: SynthConfig) -> dict[str, Any]:
    """What broadcasting does to its own elements: faint marks, overlays that play at a rate of their own."""
    if not config.has("stream"):
        return {}
    group = config.stream
    speed, opacity = rng.randint(*group.overlay_fps), rng.uniform(*group.watermark_opacity)
    if element["cls"] == "watermark":
        return {"opacity": max(1, round(255 * opacity))}
    num_states, start, stop = element["num_states"], element["start"], element["stop"]
    return {"states": video_track(rng, num_states, start, stop, config.fps, speed)} if num_states > 1 else {}
