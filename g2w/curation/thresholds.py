"""The one table of thresholds. Scores are measured elsewhere and never change with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

# Cosine from which two frames are near-copies, per embedder: a value of one says nothing in the space of another.
# The first two are fitted (`g2w.curation.dedup.fit_threshold`) on 72 frames of 18 game clips, a second apart, and six
# planted copies of each: recall 1.000 and 0.981, no false copy. That of open_clip is the usual one, not fitted here.
DEDUP_COSINE = MappingProxyType({"pixel-layout-v1": 0.8687, "torchvision-mobilenet-v2": 0.9266, "open_clip": 0.95})


@dataclass(frozen=True)
class Thresholds:
    """What a clip must be like to be kept.

    Attributes:
        max_black_ratio, max_frozen_ratio, max_duplicate_ratio: shares of frames.
        min_luma_p95: levels of 255.
        min_motion: mean absolute change per frame, levels.
        min_sharpness: variance of the Laplacian at 640x360.
        min_picture_share: share of the screen inside any bars.
        dedup_cosine: cosine of near-copies by name of the embedder, or its part before a slash.
    """

    max_black_ratio: float = 0.1
    max_frozen_ratio: float = 0.2
    max_duplicate_ratio: float = 0.4
    min_luma_p95: float = 25.0
    min_motion: float = 1.0
    min_sharpness: float = 15.0
    min_picture_share: float = 0.9
    dedup_cosine: Mapping[str, float] = field(default_factory=lambda: DEDUP_COSINE)

    def __post_init__(self) -> None:
        for name in ("max_black_ratio", "max_frozen_ratio", "max_duplicate_ratio", "min_picture_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share in [0, 1], got {getattr(self, name)}")
        for name, cosine in self.dedup_cosine.items():
            if not -1 <= cosine <= 1:
                raise ValueError(f"dedup_cosine of {name} must be a cosine, got {cosine}")

    def cosine_for(self, embedder: str) -> float:
        """Near-copy cosine of an embedder.

        Raises:
            ValueError: if none was fitted for it.
        """
        for name in (embedder, embedder.split("/")[0]):
            if name in self.dedup_cosine:
                return self.dedup_cosine[name]
        raise ValueError(
            f"no near-copy threshold for the embedder {embedder!r} (known: {', '.join(self.dedup_cosine)}); "
            "fit one with g2w.curation.dedup.fit_threshold and add it to g2w/curation/thresholds.py"
        )


THRESHOLDS = Thresholds()
