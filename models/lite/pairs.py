"""Training crops: interface drawn by recipes over clean clips at the inner size, turned into evidence on the fly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from g2w.synth.render import PairRenderer
from g2w.video.read import iter_frames
from models.lite.config import LiteConfig
from models.lite.evidence import frame_evidence, long_evidence
from models.training.optim import step_rng
from models.training.state import fingerprint

VISIBLE = 20  # alpha (of 255) from which a pixel counts as interface
_MAX_BYTES = 1200 * 2**20
_MAX_RENDERERS = 48
_FLICKER = (0.75, 1.35)


@dataclass(frozen=True)
class LiteBatch:
    """`evidence` float32 (B, C, h, w), `target` float32 (B, h, w) in {0, 1}, `picture` uint8 RGB (B, h, w, 3)."""

    evidence: np.ndarray
    target: np.ndarray
    picture: np.ndarray


@dataclass(frozen=True)
class _Window:
    """UI frames for the long statistics, those around one moment, and that moment's mask and element boxes."""

    long: np.ndarray
    around: np.ndarray
    mask: np.ndarray
    boxes: list[tuple[int, int, int, int]]


class LiteSource(Protocol):
    """Where training crops come from."""

    @property
    def fingerprint(self) -> str:
        """Hash of everything that shapes the crops; part of the training recipe."""

    def sample(self, seed: int, step: int, batch: int) -> LiteBatch:
        """`batch` crops for one step; equal arguments give equal bytes. Validation uses negative steps."""


class RecipePairs:
    """A `LiteSource` over recipe rows (see g2w.synth) and clean clips.

    A recipe's interface is laid over any of the clips: its elements do not depend on the pictures, and few recipes then
    give many pairs. Control rows (no element) stay in, so that the model also sees that clean video must be left alone.
    """

    def __init__(
        self,
        clips: Mapping[str, Path | np.ndarray],
        recipes: Sequence[Mapping[str, Any]],
        library_dir: Path,
        config: LiteConfig,
    ) -> None:
        """`clips`: clip_id -> path of a clean video, or its frames (T, h, w, 3) uint8 at the inner size.

        Raises ValueError if there are no clips or recipes, a clip has another size, or the clips need too much memory.
        """
        if not recipes or not clips:
            raise ValueError(f"training needs recipes and clips, got {len(recipes)} recipes and {len(clips)} clips")
        self._config, self._recipes, self._library_dir = config, list(recipes), Path(library_dir)
        names = sorted(clips)
        count = min(len(names), config.pairs.max_clips)
        self._names = [names[i * len(names) // count] for i in range(count)]
        self._clips = [self._load(name, clips[name]) for name in self._names]
        size = sum(frames.nbytes for frames in self._clips)
        if size > _MAX_BYTES:
            raise ValueError(
                f"{count} clips take {size / 2**20:.0f} MB at the inner size, limit {_MAX_BYTES / 2**20:.0f} MB: "
                "lower PairConfig.max_clips or raise frame_step"
            )
        self._renderer = lru_cache(maxsize=_MAX_RENDERERS)(self._build_renderer)
        self._fingerprint = fingerprint(self._names, [dict(row) for row in self._recipes], config)

    @property
    def fingerprint(self) -> str:
        """Hash of clip ids, recipe rows and configuration."""
        return self._fingerprint

    def sample(self, seed: int, step: int, batch: int) -> LiteBatch:
        """See LiteSource.sample."""
        rng = step_rng(seed, step, "crops")
        crops: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        while len(crops) < batch:
            window = self._window(rng)
            for _ in range(min(self._config.pairs.crops_per_window, batch - len(crops))):
                crops.append(self._crop(rng, window))
        evidence, target, picture = (np.stack(parts) for parts in zip(*crops, strict=True))
        return LiteBatch(evidence, target, picture)

    def _window(self, rng: np.random.Generator) -> _Window:
        evidence, pairs = self._config.evidence, self._config.pairs
        number = int(rng.integers(len(self._recipes)))
        clip = self._clips[int(rng.integers(len(self._clips)))]
        renderer = self._renderer(number)
        total = min(len(clip) * pairs.frame_step, renderer.num_frames)
        span = max(2, int(total * rng.uniform(pairs.min_span_share, 1.0)))
        start = int(rng.integers(total - span + 1))
        index = start + int(rng.integers(span))
        chosen = evidence.long_frames(start, start + span), evidence.short_frames(index, total)
        if rng.random() < pairs.freeze:
            chosen = ([index] * len(chosen[0]), [index] * len(chosen[1]))

        flicker = rng.random() < pairs.flicker

        def render(frame: int) -> np.ndarray:
            kept = frame // pairs.frame_step
            world = clip[kept]
            if flicker:
                light = rng.uniform(*_FLICKER)
                world = cv2.LUT(world, np.minimum(np.arange(256) * light, 255).astype(np.uint8))
            return renderer.frame(kept * pairs.frame_step, world)[0]

        long, around = (np.stack([render(frame) for frame in part]) for part in chosen)
        moment = index // pairs.frame_step * pairs.frame_step
        boxes = [(row["x"], row["y"], row["w"], row["h"]) for row in renderer.boxes(moment) if row["visible"]]
        return _Window(long, around, renderer.mask(moment), boxes)

    def _crop(self, rng: np.random.Generator, window: _Window) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        pairs, (height, width) = self._config.pairs, window.mask.shape
        x, y = self._corner(rng, window.boxes)
        cut = np.s_[y : y + pairs.crop[1], x : x + pairs.crop[0]]
        frames = np.concatenate([window.long[:, *cut], window.around[:, *cut]])
        target = window.mask[cut]
        if rng.random() < pairs.mirror:
            frames, target, x = frames[:, :, ::-1], target[:, ::-1], width - pairs.crop[0] - x
        frames = _recolor(frames, rng, pairs.gain, rng.random() < pairs.permute_channels)
        if rng.random() < pairs.compress:
            frames = _compress(frames, int(rng.integers(35, 90)))
        first = len(window.long)
        now = frames[first + self._config.evidence.short_offsets.index(0)]
        evidence = frame_evidence(now, frames[first:], long_evidence(frames[:first]), (x, y), (width, height))
        return evidence, (target >= VISIBLE).astype(np.float32), now

    def _corner(self, rng: np.random.Generator, boxes: Sequence[tuple[int, int, int, int]]) -> tuple[int, int]:
        """Where to crop: over a random element with probability `ui_bias`, anywhere else otherwise.

        Every element is as likely as any other: by area, crosshairs would hardly ever be seen.
        """
        pairs, evidence = self._config.pairs, self._config.evidence
        span = [evidence.width - pairs.crop[0], evidence.height - pairs.crop[1]]
        corner = [int(rng.integers(each + 1)) for each in span]
        if rng.random() < pairs.ui_bias and boxes:
            x, y, w, h = boxes[int(rng.integers(len(boxes)))]
            target = (x + int(rng.integers(w)), y + int(rng.integers(h)))
            offsets = [int(rng.integers(crop)) for crop in pairs.crop]
            corner = [min(max(t - o, 0), s) for t, o, s in zip(target, offsets, span, strict=True)]
        return corner[0], corner[1]

    def _load(self, name: str, clip: Path | np.ndarray) -> np.ndarray:
        size, step = (self._config.evidence.width, self._config.evidence.height), self._config.pairs.frame_step
        if isinstance(clip, np.ndarray):
            frames = clip[::step]
        else:
            frames = np.stack([frame for i, frame in enumerate(iter_frames(clip, size=size)) if i % step == 0])
        if frames.shape[1:] != (size[1], size[0], 3) or frames.dtype != np.uint8:
            raise ValueError(
                f"clip {name}: expected uint8 frames of {size[0]}x{size[1]}, got {frames.dtype} {frames.shape}"
            )
        return frames

    def _build_renderer(self, number: int) -> PairRenderer:
        size = (self._config.evidence.width, self._config.evidence.height)
        return PairRenderer(self._library_dir, self._recipes[number], canvas=size)


def _recolor(frames: np.ndarray, rng: np.random.Generator, gain: tuple[float, float], permute: bool) -> np.ndarray:
    """Brightness and tint as a table per channel; the same for every frame of a window."""
    if permute:
        frames = frames[..., rng.permutation(3)]
    gains = rng.uniform(*gain) * rng.uniform(0.9, 1.1, 3)
    table = np.clip(np.arange(256)[:, None] * gains[None], 0, 255).astype(np.uint8)
    return cv2.LUT(_tall(frames), table[:, None]).reshape(frames.shape)


def _compress(frames: np.ndarray, quality: int) -> np.ndarray:
    """Block and chroma artifacts of a lossy codec."""
    packed = cv2.imencode(".jpg", _tall(frames), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR)).reshape(frames.shape)


def _tall(frames: np.ndarray) -> np.ndarray:
    """Frames stacked below each other as one picture: one call instead of one per frame."""
    return np.ascontiguousarray(frames).reshape(-1, *frames.shape[2:])
