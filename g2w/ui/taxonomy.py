"""The 21 classes of screen-space interface elements, read from `taxonomy.yaml` and checked (evals.md 1.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

ZONES = ("TL", "TC", "TR", "L", "C", "R", "BL", "BC", "BR")
ANIMATIONS = ("instant", "fade", "slide", "wipe_trail", "pop", "border_arc")
PERSISTENCES = ("persistent", "state_gated", "transient")
DYNAMICS = ("static", "wave", "drain", "counter", "timer", "select", "scroll", "step")
CONTENTS = ("static", "value", "text", "scroll", "video")
BLENDS = ("opaque", "translucent", "outline")
ANCHORS = ("screen", "world_projected", "cursor")
"""What an element keeps its place by: the screen, something in the world it is drawn over, or the pointer."""
NUM_CLASSES = 21
PERSISTENT_SUM = 4.0
POPUP_MEAN = 1.5
_TOLERANCE = 1e-9
_FILE = Path(__file__).with_name("taxonomy.yaml")


@dataclass(frozen=True)
class UIClass:
    """One class of the taxonomy.

    `probability` (0..1) is set for persistent and state-gated classes, `popup_share` (0..1) for transient ones; the
    other one is 0. Durations are seconds and only used by transient classes; `animations` are relative weights.
    """

    name: str
    role: str
    published: bool
    persistence: str
    max_instances: int
    zones: tuple[str, ...]
    dynamics: str
    content: str
    blend: str
    anchor: str
    probability: float = 0.0
    popup_share: float = 0.0
    duration_median_s: float = 0.0
    duration_max_s: float = 0.0
    animations: tuple[tuple[str, float], ...] = (("instant", 1.0),)

    def __post_init__(self) -> None:
        where = f"class {self.name!r} of the UI taxonomy"
        allowed = (
            ("persistence", self.persistence, PERSISTENCES),
            ("dynamics", self.dynamics, DYNAMICS),
            ("content", self.content, CONTENTS),
            ("blend", self.blend, BLENDS),
            ("anchor", self.anchor, ANCHORS),
            *(("zone", zone, ZONES) for zone in self.zones),
            *(("animation", name, ANIMATIONS) for name, _ in self.animations),
        )
        for field, value, values in allowed:
            if value not in values:
                raise ValueError(f"{where}: {field} is {value!r}; use one of {values}")
        if self.max_instances < 1 or not self.zones:
            raise ValueError(f"{where}: needs max_instances >= 1 and a zone, got {self.max_instances}, {self.zones}")
        if self.is_popup != (self.popup_share > 0) or self.is_popup == (self.probability > 0):
            raise ValueError(f"{where}: transient classes carry popup_share, all others probability (exactly one > 0)")
        if self.is_popup and not 0 < self.duration_median_s <= self.duration_max_s:
            raise ValueError(f"{where}: needs 0 < duration_median_s <= duration_max_s")

    @property
    def is_popup(self) -> bool:
        """True for transient classes, which are drawn by the pop-up count law."""
        return self.persistence == "transient"


@dataclass(frozen=True)
class Taxonomy:
    """All classes in file order and P(0, 1, 2, ... pop-ups in a clip)."""

    version: int
    classes: tuple[UIClass, ...]
    popup_count_law: tuple[float, ...]

    def __post_init__(self) -> None:
        names = [item.name for item in self.classes]
        if len(set(names)) != NUM_CLASSES or len(names) != NUM_CLASSES:
            raise ValueError(
                f"the UI taxonomy has {len(set(names))} distinct of {len(names)} names, needs {NUM_CLASSES}"
            )
        sums = (
            ("persistent probabilities", sum(item.probability for item in self.classes), PERSISTENT_SUM),
            ("pop-up shares", sum(item.popup_share for item in self.classes), 1.0),
            ("pop-up count law", sum(self.popup_count_law), 1.0),
            ("mean of the pop-up count law", sum(n * p for n, p in enumerate(self.popup_count_law)), POPUP_MEAN),
        )
        for what, got, want in sums:
            if abs(got - want) > _TOLERANCE:
                raise ValueError(f"the UI taxonomy: {what} is {got:.6f}, must be {want}")

    @property
    def names(self) -> tuple[str, ...]:
        """The 21 class names in file order."""
        return tuple(item.name for item in self.classes)

    @property
    def persistent(self) -> tuple[UIClass, ...]:
        """Persistent and state-gated classes."""
        return tuple(item for item in self.classes if not item.is_popup)

    @property
    def popups(self) -> tuple[UIClass, ...]:
        """Transient classes."""
        return tuple(item for item in self.classes if item.is_popup)

    def __getitem__(self, name: str) -> UIClass:
        for item in self.classes:
            if item.name == name:
                return item
        raise KeyError(f"no UI class {name!r}; the taxonomy has {', '.join(self.names)}")


def _class(row: dict[str, Any]) -> UIClass:
    fields = dict(row)
    fields["zones"] = tuple(fields["zones"])
    if "animations" in fields:
        fields["animations"] = tuple((name, float(weight)) for name, weight in fields["animations"].items())
    return UIClass(**fields)


@lru_cache(maxsize=8)
def load_taxonomy(path: Path = _FILE) -> Taxonomy:
    """Read and check a taxonomy file.

    Raises:
        ValueError: if a probability law does not add up or a value is outside its closed list.
    """
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Taxonomy(
        version=int(data["version"]),
        classes=tuple(_class(row) for row in data["classes"]),
        popup_count_law=tuple(float(p) for p in data["popup_count_law"]),
    )
