"""From the classes of a pair to its elements: every draft looks for a place, alone, in formation or in a feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from g2w.synth.chance import chance
from g2w.synth.config import SynthConfig
from g2w.synth.draft import Draft, make_draft
from g2w.synth.element import Spot, make_element
from g2w.synth.formation import arrange, choose_members, feed_paths
from g2w.synth.layout import Placed, place
from g2w.synth.look import Look
from g2w.synth.shelf import Shelf
from g2w.ui.taxonomy import UIClass

_FEED = "event_feed"


class Composer:
    """Composes pairs from one shelf under one preset."""

    def __init__(self, shelf: Shelf, config: SynthConfig) -> None:
        self._shelf, self._config = shelf, config

    def compose(
        self, seed: int, wanted: Sequence[UIClass], look: Look, num_frames: int
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """Elements (JSON-ready) in the order in which they are drawn, and the classes that found no place."""
        shelf, config = self._shelf, self._config
        drafts = [make_draft(seed, k + 1, item, shelf, look, num_frames, config) for k, item in enumerate(wanted)]
        spots = self._spots(seed, drafts, look)
        kept = [draft for draft in drafts if draft.number in spots]
        elements = [make_element(seed, k, draft, spots[draft.number], look, config) for k, draft in enumerate(kept)]
        return elements, [draft.item.name for draft in drafts if draft.number not in spots]

    def _spots(self, seed: int, drafts: list[Draft], look: Look) -> dict[int, Spot]:
        presets = self._formation(seed, drafts, look)
        feed = [draft for draft in drafts if draft.item.name == _FEED]
        stacked = len(feed) > 1 and self._config.has("layout")
        placed: list[Placed] = []
        spots: dict[int, Spot] = {}
        for draft in drafts:
            if stacked and draft.item.name == _FEED:
                if draft is feed[0]:
                    spots.update(self._feed(seed, feed, placed, look))
                continue
            preset = presets.get(draft.number)
            found = self._place(seed, draft, draft.box, placed, look, preset)
            if found is not None:
                box, how, zone = found
                how = "formation" if preset and how == "recorded" else how
                spots[draft.number] = Spot(box.x, box.y, how, zone, self._wander(seed, draft))
        return spots

    def _place(
        self,
        seed: int,
        draft: Draft,
        box: Placed,
        placed: list[Placed],
        look: Look,
        preset: tuple[int, int] | None = None,
    ) -> tuple[Placed, str, str] | None:
        found = place(
            chance(seed, "place", draft.number),
            draft.item,
            box,
            placed,
            recorded=preset or draft.recorded,
            margin=look["margin"],
            jitter=self._config.jitter_px,
            threshold=self._config.overlap_threshold,
            exact=preset is not None,
        )
        if found is not None:
            placed.append(found[0])
        return found

    def _formation(self, seed: int, drafts: list[Draft], look: Look) -> Mapping[int, tuple[int, int]]:
        """Places of the drafts that stand in formation, by their number."""
        if not look.get("formation"):
            return {}
        rng = chance(seed, "members")
        members = [drafts[k] for k in choose_members(rng, [draft.item for draft in drafts])]
        if not members:
            return {}
        anchor = rng.choice(members[0].item.zones)
        sizes = [(draft.box.w, draft.box.h) for draft in members]
        spots = arrange(look["formation"], anchor, sizes, look["gap"], look["margin"])
        return {draft.number: spot for draft, spot in zip(members, spots, strict=True) if spot is not None}

    def _wander(self, seed: int, draft: Draft) -> list[list[int]]:
        """A watermark jumps to another corner of its room every one to three seconds."""
        rng, frame, path = chance(seed, "wander", draft.number), draft.start, []
        while draft.room != (0, 0) and frame < draft.stop:
            path.append([frame, rng.randint(0, draft.room[0]), rng.randint(0, draft.room[1])])
            frame += rng.randint(self._config.fps, 3 * self._config.fps)
        return path

    def _feed(self, seed: int, feed: list[Draft], placed: list[Placed], look: Look) -> dict[int, Spot]:
        """The rows of a kill feed find a place as one block, or none of them does."""
        group, rows = self._config.layout, sorted(feed, key=lambda draft: (draft.start, draft.number))
        boxes = [row.box for row in rows]
        height = sum(box.h for box in boxes) + group.feed_gap_px * (len(boxes) - 1)
        block = replace(boxes[0], w=max(b.w for b in boxes), h=height, stop=max(b.stop for b in boxes))
        found = self._place(seed, rows[0], block, placed, look)
        if found is None:
            return {}
        spot, _, zone = found
        paths = feed_paths(boxes, group.feed_gap_px, group.feed_push_frames)
        right = zone.endswith("R")
        return {
            row.number: Spot(spot.x + (spot.w - box.w if right else 0), spot.y, "stacked", zone, path)
            for row, box, path in zip(rows, boxes, paths, strict=True)
        }
