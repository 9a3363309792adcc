"""GameCleaner: a mask-free, instruction-driven video diffusion transformer that removes screen-space UI from
gameplay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.cleaner.clean import DiffusionCleaner


def load_cleaner(checkpoint_dir: Path, *, num_threads: int = 1, num_steps: int | None = None) -> DiffusionCleaner:
    """The cleaner of a checkpoint folder written by `train_cleaner`; torch is loaded only when this is called.

    Raises CheckpointError for folders that are unfinished, foreign or damaged, MissingWeightsError for absent
    pretrained weights.
    """
    from models.cleaner.clean import load_cleaner as load

    return load(checkpoint_dir, num_threads=num_threads, num_steps=num_steps)
