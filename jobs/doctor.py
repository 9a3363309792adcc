"""`g2w doctor`: what is installed, which weights are present, which presets can run."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

State = Literal["ok", "missing", "broken"]
PACKAGES = (
    "dagster",
    "dagster-aws",
    "torch",
    "diffusers",
    "transformers",
    "peft",
    "mlflow",
    "av",
    "vizdoom",
    "open-clip-torch",
)
PAIRED = (("dagster", "1.13.27", "dagster-aws", "0.29.27"),)
HUB_WEIGHTS = {
    "dev": ("Wan-AI/Wan2.1-T2V-1.3B-Diffusers", "Qwen/Qwen2.5-VL-3B-Instruct"),
    "paper": ("Wan-AI/Wan2.2-TI2V-5B-Diffusers", "Qwen/Qwen2.5-VL-3B-Instruct"),
}
MIN_FREE_BYTES = 3 * 1024**3


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    what: str
    state: State
    note: str


def examine() -> list[Finding]:
    """Look at this machine; reads only."""
    return [*_packages(), *_pairs(), *_programs(), _disk(), *_accelerator(), *_presets()]


def _packages() -> list[Finding]:
    found = []
    for name in PACKAGES:
        try:
            found.append(Finding(name, "ok", metadata.version(name)))
        except metadata.PackageNotFoundError:
            found.append(
                Finding(name, "broken", "not installed: run `make demo`, or pip install -c constraints.txt -e .")
            )
    return found


def _pairs() -> list[Finding]:
    found = []
    for left, left_version, right, right_version in PAIRED:
        try:
            pair = (metadata.version(left), metadata.version(right))
        except metadata.PackageNotFoundError:
            continue
        good = pair == (left_version, right_version)
        note = f"{pair[0]} with {pair[1]}" + (
            "" if good else f"; the tested pair is {left_version} with {right_version}"
        )
        found.append(Finding(f"{left} + {right}", "ok" if good else "broken", note))
    return found


def _programs() -> list[Finding]:
    found = []
    for name, use in (("setpriv", "ends trainers with their parent"), ("chromium", "browser tests, README picture")):
        path = shutil.which(name)
        found.append(Finding(name, "ok" if path else "missing", path or f"optional: {use}"))
    return found


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    note = f"{free / 1024**3:.0f} GiB free here; the demo writes about 1 GiB"
    return Finding("disk", "ok" if free > MIN_FREE_BYTES else "broken", note)


def _accelerator() -> list[Finding]:
    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    if torch.cuda.is_available():
        names = {torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())}
        return [Finding("GPU", "ok", f"{torch.cuda.device_count()} x {', '.join(sorted(names))}")]
    return [Finding("GPU", "missing", f"none; {os.cpu_count()} CPU cores run the preset tiny")]


def _presets() -> list[Finding]:
    found = [Finding("preset tiny", "ok", "needs no weights: every model is trained from scratch")]
    from models.cleaner.weights import weights_root  # the very folder in which the models look

    root = weights_root()
    for preset, ids in HUB_WEIGHTS.items():
        absent = [hub_id for hub_id in ids if not (root / hub_id).is_dir()]
        if absent:
            command = "; ".join(f"hf download {hub_id} --local-dir {root / hub_id}" for hub_id in absent)
            found.append(Finding(f"preset {preset}", "missing", f"weights are not in {root}: {command}"))
        else:
            found.append(Finding(f"preset {preset}", "ok", f"weights in {root}; needs a GPU"))
    return found
