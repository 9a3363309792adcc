"""An element before it has a place: which asset, how large, when, and the room that it needs on screen."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from g2w.synth.chance import chance
from g2w.synth.config import MIN_POPUP_FRAMES, SynthConfig
from g2w.synth.effects import padding
from g2w.synth.layout import WIDTH, Placed
from g2w.synth.look import Look
from g2w.synth.motion import OVER_GAME
from g2w.synth.shelf import Row, Shelf
from g2w.ui.taxonomy import UIClass

_MAX_WIDTH = 0.7 * WIDTH
_ICON_SHARE = 0.62

Part = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """`w`, `h` of the picture, `pad` for effects on every side, `room` (x, y) in which it wanders; frames start..stop-1."""

    number: int
    item: UIClass
    asset: Row
    w: int
    h: int
    pad: int
    room: tuple[int, int]
    start: int
    stop: int
    recorded: tuple[int, int] | None
    parts: tuple[Part, ...] = ()

    @property
    def box(self) -> Placed:
        """The screen that it needs: picture, effects and wandering; x and y are still 0."""
        w, h = self.w + 2 * self.pad + self.room[0], self.h + 2 * self.pad + self.room[1]
        return Placed(self.item.name, 0, 0, w, h, self.start, self.stop)


def make_draft(
    seed: int, number: int, item: UIClass, shelf: Shelf, look: Look, num_frames: int, config: SynthConfig
) -> Draft:
    """Draw asset, size and time of element `number` (from 1 on) of a pair."""
    rng = chance(seed, "base", number)
    asset = shelf.pick(rng, item.name, look["theme"])
    parts: tuple[Part, ...] = ()
    start, stop = span(rng, item, num_frames, config)
    use_recorded = rng.random() < config.recorded_rate
    if look.get("script", "latin") != "latin":
        asset = shelf.localized(chance(seed, "text", number), item.name, look["script"]) or asset
    if item.name == "inventory" and config.has("layout"):
        asset, parts = _recombine(chance(seed, "layout", number), asset, shelf, config)
    factor = min(look["scale"], _MAX_WIDTH / asset["w"])
    w, h = max(2, round(asset["w"] * factor)), max(2, round(asset["h"] * factor))
    pad = padding(look.get("effects", {})) if item.name not in OVER_GAME else 0
    recorded = None
    if asset.get("x") is not None and use_recorded:
        recorded, w, h = (int(asset["x"]) - pad, int(asset["y"]) - pad), int(asset["w"]), int(asset["h"])
    room = _room(seed, number, item.name, config)
    return Draft(number, item, asset, w, h, pad, room, start, stop, recorded, parts)


def span(rng: random.Random, item: UIClass, num_frames: int, config: SynthConfig) -> tuple[int, int]:
    """First frame and end of an element; pop-ups last log-normally long (long-tailed), cut at the class's maximum."""
    if item.persistence == "persistent":
        return 0, num_frames
    if item.persistence == "state_gated":
        if rng.random() < 0.6:
            return 0, num_frames
        start = rng.randint(0, num_frames // 2)
        return start, rng.randint(start + num_frames // 4, num_frames)
    longest = min(num_frames, round(item.duration_max_s * config.fps))
    median = item.duration_median_s * config.fps
    frames = round(median * math.exp(rng.gauss(0.0, config.popup_sigma)))
    frames = max(MIN_POPUP_FRAMES, min(longest, frames))
    start = rng.randint(0, num_frames - frames)
    return start, start + frames


def _recombine(rng: random.Random, asset: Row, shelf: Shelf, config: SynthConfig) -> tuple[Row, tuple[Part, ...]]:
    """An empty bar whose slots are filled with loose icons, in the place of a ready hotbar."""
    if rng.random() >= config.layout.recombined_rate or not all(shelf.parts.values()):
        return asset, ()
    bar = rng.choice(shelf.parts["bar"])
    cell = bar["w"] / bar["num_states"]
    side = max(2, int(_ICON_SHARE * min(cell, bar["h"])))
    parts = []
    for slot in range(bar["num_states"]):
        if rng.random() < config.layout.filled_rate:
            x, y = int((slot + 0.5) * cell - side / 2), (bar["h"] - side) // 2
            icon = rng.choice(shelf.parts["icon"])["asset_id"]
            parts.append({"asset_id": icon, "x": x, "y": y, "w": side, "h": side})
    return bar, tuple(parts)


def _room(seed: int, number: int, cls: str, config: SynthConfig) -> tuple[int, int]:
    """Pixels (x, y) over which a watermark wanders; (0, 0) for everything else."""
    if cls != "watermark" or not config.has("stream"):
        return 0, 0
    rng = chance(seed, "stream", number)
    if rng.random() >= config.stream.wander_rate:
        return 0, 0
    return rng.randint(*config.stream.wander_px), rng.randint(*config.stream.wander_px) // 2
