"""Training pairs from recipes: UI rendered on the fly, straight at the inner resolution, over clean clips held in
memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from g2w.synth.degrade import codec_of, recompress
from g2w.synth.render import PairRenderer
from g2w.video.read import read_frames
from models.cleaner.config import WindowConfig
from models.cleaner.data import PairBatch
from models.cleaner.windows import far_indices
from models.training.optim import step_rng
from models.training.state import fingerprint

_MAX_BYTES = 700 * 2**20
_MAX_RENDERERS = 64


class RecipePairs:
    """A `PairSource` over recipe rows (see g2w.synth) and the clean clips they name.

    Every clip is decoded once to the inner size. With `recombine` a recipe's interface may be laid over another
    training clip than its own: the elements of a recipe do not depend on the pictures, and few recipes then give many
    pairs. Control rows (no element) stay in, so that the model also sees that clean video must be left alone.
    """

    def __init__(
        self,
        clips: Mapping[str, Path | np.ndarray],
        recipes: Sequence[Mapping[str, Any]],
        library_dir: Path,
        window: WindowConfig,
        *,
        recombine: bool = True,
        codec: bool = False,
    ) -> None:
        """`clips`: clip_id -> path of a video or its frames (T, h, w, 3) uint8 at the inner size; `recipes`: rows with
        clip_id; `codec`: send each window through the stream codec of its recipe, where it names one.

        Raises ValueError, naming them, for recipes without a clip, clips shorter than a window, or too much memory.
        """
        if not recipes or not clips:
            raise ValueError(f"training needs recipes and clips, got {len(recipes)} recipes and {len(clips)} clips")
        unknown = sorted({str(row["clip_id"]) for row in recipes} - set(clips))
        if unknown:
            raise ValueError(f"{len(unknown)} clips named by recipes were not given, first {unknown[:3]}")
        self._window, self._recipes, self._library_dir, self._recombine = (
            window,
            list(recipes),
            Path(library_dir),
            recombine,
        )
        self._names = sorted(clips)
        self._clips = {name: self._load(name, clips[name]) for name in self._names}
        size = sum(frames.nbytes for frames in self._clips.values())
        if size > _MAX_BYTES:
            raise ValueError(
                f"{len(clips)} clips take {size / 2**20:.0f} MB at the inner size, "
                f"the limit is {_MAX_BYTES / 2**20:.0f} MB: give fewer clips"
            )
        self._renderer = lru_cache(maxsize=_MAX_RENDERERS)(self._build_renderer)
        self._codec = codec
        parts = (self._names, [dict(row) for row in self._recipes], window, recombine)
        self._fingerprint = fingerprint(*parts, "codec") if codec else fingerprint(*parts)

    @property
    def fingerprint(self) -> str:
        """Hash of clip ids, recipe rows and window."""
        return self._fingerprint

    def sample(self, seed: int, step: int, batch: int) -> PairBatch:
        """See PairSource.sample."""
        rng = step_rng(seed, step, "pairs")
        samples = [self._draw(rng) for _ in range(batch)]
        return PairBatch(*(np.stack(parts) for parts in zip(*samples, strict=True)))

    def _draw(self, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """(ui, clean, mask, far) of one sample."""
        number = int(rng.integers(len(self._recipes)))
        row, span = self._recipes[number], self._span()
        offset = int(rng.integers(max(1, int(row["num_frames"]) - span + 1)))
        name, first = str(row["clip_id"]), int(row["start_frame"]) + offset
        if self._recombine:
            name = self._names[int(rng.integers(len(self._names)))]
            first = int(rng.integers(len(self._clips[name]) - span + 1))
        steps = np.arange(self._window.num_frames) * self._window.stride
        clean = self._clips[name][np.minimum(first + steps, len(self._clips[name]) - 1)]
        renderer = self._renderer(number)
        indices = np.minimum(offset + steps, int(row["num_frames"]) - 1)
        rendered = [renderer.frame(int(index), picture) for index, picture in zip(indices, clean, strict=True)]
        # The recipe's time and the clip's are shifted against each other: far frames lie where both exist.
        before = min(offset, first)
        after = min(int(row["num_frames"]) - offset, len(self._clips[name]) - first)
        around = far_indices(before + span // 2, before + after, self._window) - before
        far = [renderer.frame(int(offset + d), self._clips[name][first + d])[0] for d in around]
        pictures = [ui for ui, _ in rendered]
        stream = codec_of(row) if self._codec else None
        if stream is not None:
            pictures, far = list(recompress(pictures, stream)), list(recompress(far, stream))
        return np.stack(pictures), clean, np.stack([mask for _, mask in rendered]), np.stack(far)

    def _span(self) -> int:
        return (self._window.num_frames - 1) * self._window.stride + 1

    def _load(self, name: str, clip: Path | np.ndarray) -> np.ndarray:
        size = (self._window.width, self._window.height)
        frames = clip if isinstance(clip, np.ndarray) else read_frames(clip, size=size)
        if frames.shape[1:] != (size[1], size[0], 3) or frames.dtype != np.uint8:
            raise ValueError(
                f"clip {name}: expected uint8 frames of {size[0]}x{size[1]}, got {frames.dtype} {frames.shape}"
            )
        if len(frames) < self._span():
            raise ValueError(f"clip {name} has {len(frames)} frames, a training window spans {self._span()}")
        return frames

    def _build_renderer(self, number: int) -> PairRenderer:
        return PairRenderer(self._library_dir, self._recipes[number], canvas=(self._window.width, self._window.height))
