"""Where pretrained weights are looked for, and the full sentence a person gets when they are not there."""

from __future__ import annotations

import os
from pathlib import Path

WEIGHTS_VARIABLE = "G2W_WEIGHTS"
_DEFAULT_ROOT = "~/.cache/g2w/weights"


class MissingWeightsError(FileNotFoundError):
    """Pretrained weights that a preset needs are absent; the message names directory, hub id and the command."""


def weights_root() -> Path:
    """Root folder of local weights: `$G2W_WEIGHTS`, else a cache folder in the user's home."""
    return Path(os.environ.get(WEIGHTS_VARIABLE, _DEFAULT_ROOT)).expanduser()


def resolve_weights(name: str, *, subfolder: str = "") -> Path:
    """Directory of weights given as a local directory or a hub id (`owner/model`); nothing is ever downloaded here.

    A hub id is looked for at `weights_root()/owner/model`. Raises MissingWeightsError if the directory has no
    config.json.
    """
    local = Path(name).expanduser()
    base = local if local.is_dir() else weights_root() / name
    folder = base / subfolder if subfolder else base
    if not (folder / "config.json").is_file():
        raise MissingWeightsError(
            f"weights '{name}'{f' ({subfolder})' if subfolder else ''} not found: looked in {folder}. "
            f"Fetch them with: hf download {name} --local-dir {weights_root() / name} "
            f"(or set {WEIGHTS_VARIABLE} to the folder that holds them), "
            "or use the preset 'tiny', which needs no weights"
        )
    return folder
