"""The plan: every number that decides how large a run of the graph is. Three presets, one code path."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import dagster as dg

from g2w.synth.config import GROUPS
from g2w_assets import settings


class PlanError(ValueError):
    """A plan that cannot be run."""


@dataclass(frozen=True)
class Plan:
    """Sizes, seeds and names of one preset. A preset changes numbers and names of weights, never the code path.

    Step counts of 0 mean "as the model's own preset says". `workers` are processes that share per-clip work, `threads` is
    what one training may use; on small models two trainings of one thread each are faster than one of two.
    `randomization` names the groups of `g2w.synth.config` that recipes draw from.
    """

    preset: str
    seed: int = 0
    workers: int = 2
    parallel_steps: int = 2
    threads: int = 1
    footage_share: float = 1.0
    rejection_budget: float = 0.5
    embedder: str = "pixel-layout"
    train_recipes: int = 160
    randomization: tuple[str, ...] = ()
    bench_recipes: int = 5
    rendered_train_pairs: int = 4
    pair_num_frames: int = 150
    bench_num_frames: int = 90
    bench_max_clips: int = 8
    cleaner_steps: int = 0
    lite_steps: int = 0
    pilot_steps: int = 0
    action_steps: int = 0
    cleaned_system: str = "lite"
    keyframes_per_game: int = 4
    detector: str = "builtin"
    detector_model: str = ""
    detector_frames: int = 3
    detector_max_calls: int = 20_000
    detector_max_tokens: int = 50_000_000
    proposal_confidence: float = 0.6
    bootstrap_replicates: int = 10_000
    cost_per_cpu_hour: float = 0.04
    currency: str = "USD"

    def __post_init__(self) -> None:
        if self.preset not in ("tiny", "dev", "paper"):
            raise PlanError(f"preset must be tiny, dev or paper, got {self.preset!r}")
        if self.cleaned_system not in ("lite", "diffusion"):
            raise PlanError(f"cleaned_system must be lite or diffusion, got {self.cleaned_system!r}")
        if self.detector not in ("builtin", "endpoint", "local"):
            raise PlanError(f"detector must be builtin, endpoint or local, got {self.detector!r} (G2W_DETECTOR)")
        for name in (
            "workers",
            "parallel_steps",
            "threads",
            "train_recipes",
            "bench_recipes",
            "pair_num_frames",
            "bench_num_frames",
        ):
            if getattr(self, name) < 1:
                raise PlanError(f"{name} must be at least 1, got {getattr(self, name)}")
        unknown = sorted(set(self.randomization) - set(GROUPS))
        if unknown:
            raise PlanError(f"randomization names unknown groups {unknown}; choose from {', '.join(GROUPS)}")
        if not 0.0 <= self.rejection_budget <= 1.0:
            raise PlanError(f"rejection_budget is a share in [0, 1], got {self.rejection_budget}")

    def recipe(self, *names: str) -> dict[str, Any]:
        """The named numbers, with the preset, as they enter a snapshot's hash."""
        values = asdict(self)
        return {"preset": self.preset, **{name: values[name] for name in names}}


def tiny() -> Plan:
    """Two CPU cores, minutes: what `make demo` and the tests run."""
    return Plan("tiny")


def dev() -> Plan:
    """One consumer GPU, hours."""
    return Plan(
        "dev",
        workers=8,
        parallel_steps=1,
        threads=8,
        train_recipes=5_000,
        randomization=GROUPS,
        bench_recipes=50,
        bench_num_frames=150,
        bench_max_clips=50,
        rendered_train_pairs=32,
        cleaned_system="diffusion",
        keyframes_per_game=12,
        embedder="open_clip",
    )


def paper() -> Plan:
    """8 x H100: the published settings (96,000 pairs, 100 + 100 benchmark clips)."""
    return Plan(
        "paper",
        workers=32,
        parallel_steps=1,
        threads=32,
        train_recipes=96_000,
        randomization=GROUPS,
        bench_recipes=100,
        bench_num_frames=150,
        bench_max_clips=100,
        rendered_train_pairs=256,
        cleaned_system="diffusion",
        keyframes_per_game=4,
        embedder="open_clip",
    )


PRESETS = {"tiny": tiny, "dev": dev, "paper": paper}


class PlanResource(dg.ConfigurableResource):
    """Names a preset; `overrides` is a JSON object of plan fields, for a run smaller or larger than the preset."""

    preset: str = "tiny"
    overrides: str = "{}"

    def load(self) -> Plan:
        """The plan.

        Raises:
            PlanError: for an unknown preset, field or value.
        """
        if self.preset not in PRESETS:
            raise PlanError(f"unknown preset {self.preset!r}; choose {', '.join(PRESETS)} (G2W_PRESET)")
        changes = json.loads(self.overrides)
        unknown = set(changes) - {f.name for f in fields(Plan)}
        if unknown:
            raise PlanError(f"G2W_OVERRIDES names unknown plan fields: {', '.join(sorted(unknown))}")
        if "randomization" in changes:
            changes["randomization"] = tuple(changes["randomization"])
        return replace(PRESETS[self.preset](), **changes)


def plan_resource() -> PlanResource:
    """The plan that the environment asks for."""
    return PlanResource(preset=settings.preset(), overrides=settings.overrides())
