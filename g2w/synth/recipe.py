"""From clips and a library to pair recipes: one row says all that is needed to draw a pair again (mission.md 1)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

from g2w.lineage.canonical import canonical_json, sha256_json, short
from g2w.synth.chance import chance
from g2w.synth.compose import Composer
from g2w.synth.config import SynthConfig
from g2w.synth.look import sample_look
from g2w.synth.shelf import Shelf
from g2w.ui.taxonomy import Taxonomy, UIClass, load_taxonomy

__all__ = ["RECIPE_VERSION", "STYLE_OF_SPLIT", "RecipeSampler", "SynthConfig", "sample_recipes"]

RECIPE_VERSION = 2
STYLE_OF_SPLIT = {"train": "a", "bench": "b"}


class RecipeSampler:
    """Draws recipe rows of one split; row i is a pure function of the arguments and i.

    Rows depend on nothing but their number, so that processes can share a table by row numbers, and rows beyond it are
    an endless supply of others.

    Args:
        clips: rows with clip_id, game, split and optionally num_frames; only those of `split` are used, evenly in turn.
        library: rows of `assets.parquet`; train uses style set a, bench style set b, never the other.
        split: "train" or "bench".

    Raises:
        ValueError: for an unknown split, no clip of the split, or a class without asset.
    """

    def __init__(
        self,
        clips: Sequence[Mapping[str, Any]],
        library: Sequence[Mapping[str, Any]],
        *,
        seed: int,
        split: str,
        config: SynthConfig | None = None,
    ) -> None:
        if split not in STYLE_OF_SPLIT:
            raise ValueError(f"split is {split!r}; use one of {tuple(STYLE_OF_SPLIT)}")
        self._config, self._seed, self._split = config or SynthConfig(), seed, split
        self._clips = sorted((row for row in clips if row["split"] == split), key=lambda row: row["clip_id"])
        if not self._clips:
            raise ValueError(f"none of the {len(clips)} clean clips belongs to split {split!r}")
        random.Random(f"clips:{seed}").shuffle(self._clips)
        shelf, self._taxonomy = Shelf(library, STYLE_OF_SPLIT[split]), load_taxonomy()
        self._themes, self._composer = shelf.themes, Composer(shelf, self._config)

    def row(self, index: int) -> dict[str, Any]:
        """Row `index` >= 0.

        Returns:
            pair_id, clip_id, game, split, style_set, seed, num_frames, start_frame, elements and look (canonical JSON:
            every draw), num_elements, num_dropped (sampled but without a free place; their classes are in the look),
            is_control, recipe_version.
        """
        clip, seed = self._clips[index % len(self._clips)], _row_seed(self._seed, self._split, index)
        rng = chance(seed, "row")
        clip_frames = int(clip.get("num_frames") or self._config.num_frames)
        num_frames = min(clip_frames, self._config.num_frames)
        start_frame = rng.randint(0, clip_frames - num_frames)
        is_control = rng.random() < self._config.control_rate
        wanted = [] if is_control else _sample_classes(rng, self._taxonomy)
        look = sample_look(seed, self._themes, num_frames, self._config)
        elements, dropped = self._composer.compose(seed, wanted, look, num_frames)
        row: dict[str, Any] = {
            "clip_id": clip["clip_id"],
            "game": clip["game"],
            "split": clip["split"],
            "style_set": STYLE_OF_SPLIT[clip["split"]],
            "seed": seed,
            "num_frames": num_frames,
            "start_frame": start_frame,
            "elements": _text(elements),
            "look": _text({**look, "dropped": dropped}),
            "num_elements": len(elements),
            "num_dropped": len(dropped),
            "is_control": is_control,
            "recipe_version": RECIPE_VERSION,
        }
        return {"pair_id": short(sha256_json(row)), **row}


def sample_recipes(
    clips: Sequence[Mapping[str, Any]],
    library: Sequence[Mapping[str, Any]],
    *,
    count: int,
    seed: int,
    split: str,
    config: SynthConfig | None = None,
    first: int = 0,
) -> list[dict[str, Any]]:
    """Rows `first` ... `first + count - 1` of a `RecipeSampler`."""
    sampler = RecipeSampler(clips, library, seed=seed, split=split, config=config)
    return [sampler.row(index) for index in range(first, first + count)]


def _row_seed(seed: int, split: str, index: int) -> int:
    return int.from_bytes(hashlib.sha256(f"pair:{seed}:{split}:{index}".encode()).digest()[:7], "big")


def _text(value: Any) -> str:
    return canonical_json(value).decode().rstrip("\n")


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
