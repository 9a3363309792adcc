"""Virtual pairs for training: a table of recipes stands for the videos, composed while they are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import torch
from torch.utils.data import Dataset

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.synth.recipe import RecipeSampler
from g2w.synth.write import iter_pair


class RecipeTable(Protocol):
    """Where the recipe of a pair comes from."""

    def __len__(self) -> int:
        """Pairs in one epoch."""

    def row(self, index: int, epoch: int) -> Mapping[str, Any]:
        """Recipe row of pair `index` in `epoch`."""


class FixedRecipes:
    """A written table, the same in every epoch. It stays in Arrow memory: a million rows cost no Python objects."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def row(self, index: int, epoch: int) -> Mapping[str, Any]:
        """See `RecipeTable`."""
        (row,) = self._table.slice(index, 1).to_pylist()
        return dict(row)


class RedrawnRecipes:
    """`count` pairs drawn anew in every epoch: row `epoch * count + index` of a sampler, never the same twice."""

    def __init__(self, sampler: RecipeSampler, count: int) -> None:
        if count < 1:
            raise ValueError(f"an epoch needs at least one pair, got {count}")
        self._sampler, self._count = sampler, count

    def __len__(self) -> int:
        return self._count

    def row(self, index: int, epoch: int) -> Mapping[str, Any]:
        """See `RecipeTable`."""
        return self._sampler.row(epoch * self._count + index)


class VirtualPairs(Dataset[dict[str, Any]]):
    """Map-style dataset of windows of pairs: the clean clip is decoded and its interface composed on the fly.

    An item is a pure function of (seed, epoch, index), whichever worker makes it. It holds `ui` and `clean`, uint8
    (num_frames, 3, height, width), `mask`, uint8 (num_frames, height, width), alpha coverage 0..255, `pair_id`, and
    `first`, the window's first frame in the pair. Pixels are those of `g2w.synth.write.iter_pair`.

    Args:
        recipes: `FixedRecipes` or `RedrawnRecipes`.
        clips: clip_id -> file of every clip that the recipes may name.
        library_dir: the UI library that the recipes were drawn from.
        canvas: (width, height) of the tensors.
        num_frames: length of the window, cut at a random place of the pair.
    """

    def __init__(
        self,
        recipes: RecipeTable,
        clips: Mapping[str, str | Path],
        library_dir: str | Path,
        *,
        num_frames: int,
        canvas: tuple[int, int] = (WIDTH, HEIGHT),
        seed: int = 0,
    ) -> None:
        if num_frames < 1:
            raise ValueError(f"a window needs at least one frame, got {num_frames}")
        self._recipes, self._clips, self._library_dir = recipes, dict(clips), Path(library_dir)
        self._num_frames, self._canvas, self._seed = num_frames, canvas, seed
        # shared memory: workers that outlive an epoch see the new one
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0 on: other windows, and other pairs where recipes are redrawn."""
        if epoch < 0:
            raise ValueError(f"epoch must be 0 or more, got {epoch}")
        self._epoch.fill_(epoch)

    def __len__(self) -> int:
        return len(self._recipes)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Item `index`, 0 to len - 1.

        Raises:
            IndexError: outside that range.
            KeyError: if the recipe names a clip that was not given.
            ValueError: if the pair is shorter than the window, or the clip than the recipe says.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"pair {index} of {len(self)}")
        epoch = int(self._epoch)
        row = self._recipes.row(index, epoch)
        length = int(row["num_frames"])
        if length < self._num_frames:
            raise ValueError(f"pair {row['pair_id']} has {length} frames, the window needs {self._num_frames}")
        if row["clip_id"] not in self._clips:
            raise KeyError(f"pair {row['pair_id']} needs clip {row['clip_id']}, which was not given")
        words = [self._seed, epoch, index]
        first = int(np.random.default_rng(words).integers(length - self._num_frames + 1))
        width, height = self._canvas
        ui, clean = (np.empty((self._num_frames, height, width, 3), np.uint8) for _ in range(2))
        mask = np.empty((self._num_frames, height, width), np.uint8)
        clip, span = self._clips[row["clip_id"]], range(first, first + self._num_frames)
        for t, frame in enumerate(iter_pair(row, clip, self._library_dir, span=span, canvas=self._canvas)):
            ui[t], clean[t], mask[t] = frame
        videos = {name: torch.from_numpy(video).permute(0, 3, 1, 2) for name, video in (("ui", ui), ("clean", clean))}
        return {**videos, "mask": torch.from_numpy(mask), "pair_id": row["pair_id"], "first": first}
