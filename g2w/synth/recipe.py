"""From clips and a library to pair recipes: one row says all that is needed to draw a pair again (mission.md 1)."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from g2w.lineage.canonical import canonical_json, sha256_json, short
from g2w.synth.dynamics import state_track
from g2w.synth.layout import WIDTH, Placed, place
from g2w.ui.taxonomy import Taxonomy, UIClass, load_taxonomy

RECIPE_VERSION = 1
STYLE_OF_SPLIT = {"train": "a", "bench": "b"}
_MIN_POPUP_FRAMES = 6
_ENTER_FRAMES = {
    "instant": (0, 0),
    "fade": (4, 12),
    "slide": (6, 14),
    "wipe_trail": (6, 15),
    "pop": (4, 9),
    "border_arc": (6, 18),
}


@dataclass(frozen=True)
class SynthConfig:
    """Knobs of the overlay synthesis. Lengths in pixels of 1280x720, rates and opacities 0..1, scales are factors."""

    num_frames: int = 150
    fps: int = 30
    control_rate: float = 0.05
    overlap_threshold: float = 0.14
    recorded_rate: float = 0.7
    theme_coherence: float = 0.6
    margin_px: tuple[int, int] = (6, 44)
    jitter_px: int = 6
    ui_scale: tuple[float, float] = (0.8, 1.25)
    opacity: tuple[float, float] = (0.8, 1.0)
    popup_sigma: float = 0.55

    def __post_init__(self) -> None:
        for name in ("control_rate", "overlap_threshold", "recorded_rate", "theme_coherence"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"SynthConfig.{name} is {getattr(self, name)}, must be in 0..1")
        if self.num_frames < 2 * _MIN_POPUP_FRAMES or self.fps < 1:
            raise ValueError(f"SynthConfig needs num_frames >= {2 * _MIN_POPUP_FRAMES} and fps >= 1: {self}")
        if not 0 < self.ui_scale[0] <= self.ui_scale[1] or not 0 < self.opacity[0] <= self.opacity[1] <= 1:
            raise ValueError(f"SynthConfig needs 0 < ui_scale[0] <= ui_scale[1] and 0 < opacity <= 1: {self}")
        if not 0 <= self.margin_px[0] <= self.margin_px[1] or self.jitter_px < 0 or self.popup_sigma <= 0:
            raise ValueError(f"SynthConfig needs ordered margins >= 0, jitter >= 0 and popup_sigma > 0: {self}")


class _Shelf:
    """Accepted assets of one style set, by class and by theme, in a stable order."""

    def __init__(self, library: Sequence[Mapping[str, Any]], style_set: str) -> None:
        usable = [
            row for row in library if row["style_set"] == style_set and row.get("verdict", "accepted") == "accepted"
        ]
        self.by_class: dict[str, list[Mapping[str, Any]]] = {}
        self.by_theme: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in sorted(usable, key=lambda row: row["asset_id"]):
            self.by_class.setdefault(row["cls"], []).append(row)
            self.by_theme.setdefault((row["cls"], row.get("theme") or ""), []).append(row)
        self.themes = sorted({theme for _, theme in self.by_theme if theme})
        missing = sorted(set(load_taxonomy().names) - set(self.by_class))
        if missing:
            raise ValueError(f"the library has no accepted asset of style set {style_set!r} for: {', '.join(missing)}")

    def pick(self, rng: random.Random, cls: str, theme: str) -> Mapping[str, Any]:
        return rng.choice(self.by_theme.get((cls, theme)) or self.by_class[cls])


def sample_recipes(
    clips: Sequence[Mapping[str, Any]],
    library: Sequence[Mapping[str, Any]],
    *,
    count: int,
    seed: int,
    split: str,
    config: SynthConfig | None = None,
) -> list[dict[str, Any]]:
    """Draw `count` recipe rows; a pure function of its arguments, and row i does not depend on `count`.

    Args:
        clips: rows with clip_id, game, split and optionally num_frames; only those of `split` are used, evenly in turn.
        library: rows of `assets.parquet`; train uses style set a, bench style set b, never the other.
        split: "train" or "bench".

    Returns:
        Rows with pair_id, clip_id, game, split, style_set, seed, num_frames, start_frame, elements (canonical JSON),
        num_elements, num_dropped (sampled but without a free place), is_control, recipe_version.

    Raises:
        ValueError: for an unknown split, no clip of the split, or a class without asset.
    """
    if split not in STYLE_OF_SPLIT:
        raise ValueError(f"split is {split!r}; use one of {tuple(STYLE_OF_SPLIT)}")
    config = config or SynthConfig()
    usable = sorted((row for row in clips if row["split"] == split), key=lambda row: row["clip_id"])
    if not usable:
        raise ValueError(f"none of the {len(clips)} clean clips belongs to split {split!r}")
    random.Random(f"clips:{seed}").shuffle(usable)
    shelf, taxonomy = _Shelf(library, STYLE_OF_SPLIT[split]), load_taxonomy()
    return [_recipe(usable[i % len(usable)], shelf, taxonomy, _row_seed(seed, split, i), config) for i in range(count)]


def _row_seed(seed: int, split: str, index: int) -> int:
    return int.from_bytes(hashlib.sha256(f"pair:{seed}:{split}:{index}".encode()).digest()[:7], "big")


def _recipe(
    clip: Mapping[str, Any], shelf: _Shelf, taxonomy: Taxonomy, seed: int, config: SynthConfig
) -> dict[str, Any]:
    rng = random.Random(seed)
    clip_frames = int(clip.get("num_frames") or config.num_frames)
    num_frames = min(clip_frames, config.num_frames)
    start_frame = rng.randint(0, clip_frames - num_frames)
    is_control = rng.random() < config.control_rate
    wanted = [] if is_control else _sample_classes(rng, taxonomy)
    elements = _compose(rng, wanted, shelf, num_frames, config)
    row: dict[str, Any] = {
        "clip_id": clip["clip_id"],
        "game": clip["game"],
        "split": clip["split"],
        "style_set": STYLE_OF_SPLIT[clip["split"]],
        "seed": seed,
        "num_frames": num_frames,
        "start_frame": start_frame,
        "elements": canonical_json(elements).decode().rstrip("\n"),
        "num_elements": len(elements),
        "num_dropped": len(wanted) - len(elements),
        "is_control": is_control,
        "recipe_version": RECIPE_VERSION,
    }
    return {"pair_id": short(sha256_json(row)), **row}


def _sample_classes(rng: random.Random, taxonomy: Taxonomy) -> list[UIClass]:
    """Persistent classes by their probability, pop-ups by the count law and their shares."""
    chosen = [item for item in taxonomy.persistent if rng.random() < item.probability]
    popups, shares = taxonomy.popups, [item.popup_share for item in taxonomy.popups]
    counts: dict[str, int] = {}
    num_popups = rng.choices(range(len(taxonomy.popup_count_law)), taxonomy.popup_count_law)[0]
    while num_popups:
        item = rng.choices(popups, shares)[0]
        if counts.get(item.name, 0) < item.max_instances:
            counts[item.name] = counts.get(item.name, 0) + 1
            chosen.append(item)
            num_popups -= 1
    return chosen


def _compose(
    rng: random.Random, wanted: list[UIClass], shelf: _Shelf, num_frames: int, config: SynthConfig
) -> list[dict[str, Any]]:
    theme = rng.choice(shelf.themes) if shelf.themes and rng.random() < config.theme_coherence else ""
    scale, margin = rng.uniform(*config.ui_scale), rng.randint(*config.margin_px)
    placed: list[Placed] = []
    elements: list[dict[str, Any]] = []
    for item in wanted:
        asset = shelf.pick(rng, item.name, theme)
        start, stop = _span(rng, item, num_frames, config)
        factor = min(scale, 0.7 * WIDTH / asset["w"])
        w, h = max(2, round(asset["w"] * factor)), max(2, round(asset["h"] * factor))
        recorded = None
        if asset.get("x") is not None and rng.random() < config.recorded_rate:
            recorded, w, h = (int(asset["x"]), int(asset["y"])), int(asset["w"]), int(asset["h"])
        spot = place(
            rng,
            item,
            Placed(item.name, 0, 0, w, h, start, stop),
            placed,
            recorded=recorded,
            margin=margin,
            jitter=config.jitter_px,
            threshold=config.overlap_threshold,
        )
        if spot is None:
            continue
        placed.append(spot[0])
        elements.append(_element(rng, item, asset, len(elements), spot, config))
    return elements


def _span(rng: random.Random, item: UIClass, num_frames: int, config: SynthConfig) -> tuple[int, int]:
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
    frames = max(_MIN_POPUP_FRAMES, min(longest, frames))
    start = rng.randint(0, num_frames - frames)
    return start, start + frames


def _element(
    rng: random.Random,
    item: UIClass,
    asset: Mapping[str, Any],
    number: int,
    spot: tuple[Placed, str, str],
    config: SynthConfig,
) -> dict[str, Any]:
    box, how, zone = spot
    animation, enter, leave = "instant", 0, 0
    if item.is_popup:
        names, weights = zip(*item.animations, strict=True)
        animation = rng.choices(names, weights)[0]
        half = (box.stop - box.start) // 2
        enter = min(half, rng.randint(*_ENTER_FRAMES[animation]))
        leave = min(half, rng.randint(*_ENTER_FRAMES[animation]))
    elif item.persistence == "state_gated" and (box.start > 0):
        animation, enter = "fade", min((box.stop - box.start) // 2, 8)
    return {
        "element_id": f"e{number:02d}",
        "asset_id": asset["asset_id"],
        "cls": item.name,
        "x": box.x,
        "y": box.y,
        "w": box.w,
        "h": box.h,
        "start": box.start,
        "stop": box.stop,
        "animation": animation,
        "enter": enter,
        "leave": leave,
        "opacity": round(255 * rng.uniform(*config.opacity)) if rng.random() < 0.5 else 255,
        "num_states": int(asset.get("num_states") or 1),
        "states": state_track(rng, item.dynamics, int(asset.get("num_states") or 1), box.start, box.stop),
        "placed": how,
        "zone": zone,
    }
