"""Compose a recipe over clean frames: integer alpha compositing, the same pixels every time and everywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from g2w.synth.effects import dress
from g2w.synth.frost import frost_shape, lay_frost
from g2w.synth.layout import HEIGHT, WIDTH
from g2w.synth.motion import FULL_LEVEL, Hud, at
from g2w.synth.patches import (
    FULL,
    Blender,
    Patch,
    animate,
    divide_255,
    load_strip,
    pop_scale,
    progress,
    scale_alpha,
    scale_patch,
)

Rect = tuple[int, int, int, int]
# an element counts as visible where its alpha reaches 3 %: below that it changes a pixel by less than 8 of 255 levels
MIN_VISIBLE_ALPHA = 8


@dataclass(frozen=True)
class _Layer:
    """A patch made ready: color * alpha and 255 - alpha (both in 3 channels), coverage, box.

    The coverage is the alpha, joined with the part of the backdrop that a frosted panel blurs; `frost` is that part and
    255 minus it, else None.
    """

    x: int
    y: int
    color: np.ndarray
    keep: np.ndarray
    alpha: np.ndarray
    box: Rect | None
    frost: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class Cover:
    """Where the interface of a frame lies. The same object as long as nothing changes; its arrays are read-only.

    Attributes:
        mask: joint alpha coverage 0..255, uint8 (height, width).
        reach: boxes (x, y, w, h) of the elements, with what a frosted one sees around it; the mask is 0 outside them.
    """

    mask: np.ndarray
    reach: tuple[Rect, ...]


# state of the asset, progress of the animation, shift (x, y) and level of the whole interface
_Key = tuple[int, int, int, int, int]


class _Element:
    """One element of a recipe: which picture to show at which frame, cached by key."""

    def __init__(self, spec: Mapping[str, Any], library_dir: Path, canvas: tuple[int, int], hud: Hud) -> None:
        self.spec, self.canvas, self._folder, self._hud = spec, canvas, library_dir / "png", hud
        self.strip = self._load(spec["asset_id"])
        self.num_states = int(spec["num_states"])
        # a shift leaves the picture as it is: pictures and steady layers are kept by state, and of the others the last one
        self._dressed: dict[int, tuple[np.ndarray, int]] = {}
        self._steady: dict[int, _Layer] = {}
        self._last: tuple[_Key, _Layer] | None = None
        self.frost_px = -(-int(spec.get("frost", 0)) * canvas[0] // WIDTH)

    def _load(self, asset_id: str) -> np.ndarray:
        return load_strip(str(self._folder / f"{asset_id}.png"))

    def key(self, frame: int) -> _Key | None:
        """What is shown at `frame`, or None while the element is not on screen."""
        spec = self.spec
        frame, dx, dy, level = self._hud.at(spec["cls"], frame)
        if not spec["start"] <= frame < spec["stop"] or not level:
            return None
        if "path" in spec:
            px, py = at(spec["path"], frame)
            dx, dy = dx + px, dy + py
        done = (
            FULL
            if spec["animation"] == "instant"
            else progress(frame, spec["start"], spec["stop"], spec["enter"], spec["leave"])
        )
        return at(spec["states"], frame)[0], done, dx, dy, level

    def layer(self, key: _Key) -> _Layer:
        """The ready layer of a key."""
        if self._last is None or self._last[0] != key:
            self._last = key, self._make(key)
        return self._last[1]

    def _make(self, key: _Key) -> _Layer:
        state, done, dx, dy, level = key
        # Only at the full canvas is a shift one of whole pixels.
        steady = done == FULL and level == FULL_LEVEL and (self.canvas == (WIDTH, HEIGHT) or not (dx or dy))
        if not steady:
            return _placed(self._ready(key), 0, 0, self.canvas)
        if state not in self._steady:
            self._steady[state] = self._ready((state, FULL, 0, 0, FULL_LEVEL))
        return _placed(self._steady[state], dx, dy, self.canvas)

    def _ready(self, key: _Key) -> _Layer:
        return _ready(self._patch(key), frosted=bool(self.frost_px))

    def _picture(self, state: int) -> tuple[np.ndarray, int]:
        found = self._dressed.get(state)
        if found is None:
            rows = self.strip.shape[0] // self.num_states
            found = dress(self.strip[state * rows : (state + 1) * rows], self.spec, self._load)
            self._dressed[state] = found
        return found

    def _patch(self, key: _Key) -> Patch:
        state, done, dx, dy, level = key
        rgba, pad = self._picture(state)
        if level < FULL_LEVEL:
            rgba = scale_alpha(rgba, level)
        x, y, w, h = self.spec["x"] + dx - pad, self.spec["y"] + dy - pad, rgba.shape[1], rgba.shape[0]
        if self.spec["animation"] == "pop":
            size = pop_scale(done)
            x, y = x + w * (FULL - size) / (2 * FULL), y + h * (FULL - size) / (2 * FULL)
            w, h = w * size / FULL, h * size / FULL
        sx, sy = self.canvas[0] / WIDTH, self.canvas[1] / HEIGHT
        return animate(scale_patch(rgba, x * sx, y * sy, w * sx, h * sy), self.spec["animation"], done, self.canvas)


def _ready(patch: Patch, *, frosted: bool) -> _Layer:
    """The layer of a patch; it may reach beyond the canvas."""
    alpha = patch.rgba[..., 3].astype(np.uint16)
    keep = np.repeat((255 - alpha)[..., None], 3, axis=2)
    color = patch.rgba[..., :3].astype(np.uint16) * alpha[..., None]
    frost = None
    if frosted:
        shape = frost_shape(alpha)
        alpha = 255 - divide_255((255 - shape) * (255 - alpha))
        shape = np.repeat(shape[..., None], 3, axis=2)
        frost = shape, 255 - shape
    alpha = alpha.astype(np.uint8)
    return _Layer(patch.x, patch.y, color, keep, alpha, _visible_box(alpha, patch.x, patch.y), frost)


def _placed(layer: _Layer, dx: int, dy: int, canvas: tuple[int, int]) -> _Layer:
    """The layer moved by whole pixels and cut to the canvas; its arrays are views."""
    h, w = layer.alpha.shape
    x, y = layer.x + dx, layer.y + dy
    x0, y0, x1, y1 = max(0, x), max(0, y), min(canvas[0], x + w), min(canvas[1], y + h)
    if (x0, y0, x1, y1) == (x, y, x + w, y + h):
        box = None if layer.box is None else (layer.box[0] + dx, layer.box[1] + dy, *layer.box[2:])
        return replace(layer, x=x, y=y, box=box)
    if x1 <= x0 or y1 <= y0:
        x0, y0, x1, y1 = x, y, x, y
    cut = np.s_[y0 - y : y1 - y, x0 - x : x1 - x]
    alpha, frost = layer.alpha[cut], None if layer.frost is None else (layer.frost[0][cut], layer.frost[1][cut])
    return _Layer(x0, y0, layer.color[cut], layer.keep[cut], alpha, _visible_box(alpha, x0, y0), frost)


def _visible_box(alpha: np.ndarray, x: int, y: int) -> Rect | None:
    """Tight box around what is visible of a coverage that lies at (x, y)."""
    visible = alpha >= MIN_VISIBLE_ALPHA
    ys, xs = np.flatnonzero(visible.any(axis=1)), np.flatnonzero(visible.any(axis=0))
    if not len(ys):
        return None
    return int(x + xs[0]), int(y + ys[0]), int(xs[-1] - xs[0] + 1), int(ys[-1] - ys[0] + 1)


def _grown(box: Rect, by: int, canvas: tuple[int, int]) -> Rect:
    """The box with `by` pixels more on every side, inside the canvas."""
    x0, y0 = max(0, box[0] - by), max(0, box[1] - by)
    return x0, y0, min(canvas[0], box[0] + box[2] + by) - x0, min(canvas[1], box[1] + box[3] + by) - y0


class PairRenderer:
    """Draws the UI side of one pair.

    Args:
        library_dir: UI library folder (`assets.parquet`, `png/<asset_id>.png`).
        recipe_row: a row of `g2w.synth.recipe.sample_recipes`.
        canvas: (width, height) of the frames given to `frame`; smaller than 1280x720 for low-resolution training:
            assets are then scaled once with an area filter on premultiplied alpha.
    """

    def __init__(
        self, library_dir: str | Path, recipe_row: Mapping[str, Any], *, canvas: tuple[int, int] = (WIDTH, HEIGHT)
    ) -> None:
        self.canvas = (int(canvas[0]), int(canvas[1]))
        if min(self.canvas) < 8:
            raise ValueError(f"canvas {canvas} is too small: at least 8 x 8 pixels")
        self.num_frames = int(recipe_row["num_frames"])
        self.start_frame = int(recipe_row["start_frame"])
        specs = json.loads(recipe_row["elements"])
        hud = Hud(json.loads(recipe_row.get("look") or "{}"))
        self._elements = [_Element(spec, Path(library_dir), self.canvas, hud) for spec in specs]
        self._blender = Blender()
        self._at = -1
        self._keys_at: list[_Key | None] = []
        self._keys: list[_Key | None] = []
        self._cover = self._covered(self._keys)
        self._ids_of: Cover | None = None
        self._ids = np.zeros_like(self._cover.mask)

    def frame(self, i: int, clean_rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Frame `i` of the pair (clip frame start_frame + i) over its clean side.

        Args:
            clean_rgb: uint8 (height, width, 3) of the canvas size; not changed.

        Returns:
            UI frame uint8 (height, width, 3) and mask uint8 (height, width): joint alpha coverage 0..255, read-only,
            the same array as long as nothing changes. Every pixel is
            round((color * alpha + below * (255 - alpha)) / 255), layer by layer (a frosted layer blurs what is below
            it first, see `g2w.synth.frost`); where the mask is 0 the clean bytes stay.
        """
        want = (self.canvas[1], self.canvas[0], 3)
        if clean_rgb.shape != want or clean_rgb.dtype != np.uint8:
            raise ValueError(f"clean frame must be uint8 {want}, got {clean_rgb.dtype} {clean_rgb.shape}")
        out = clean_rgb.copy()
        self.draw(i, out)
        return out, self.cover(i).mask

    def draw(self, i: int, picture: np.ndarray) -> None:
        """Lay the interface of frame `i` over `picture`, uint8 RGB of the canvas size, in place.

        Only what `cover(i).reach` encloses is read and written.
        """
        for element, key in zip(self._elements, self._keys_of(i), strict=True):
            if key is None:
                continue
            layer = element.layer(key)
            h, w = layer.alpha.shape
            if not h:
                continue
            if layer.frost is not None:
                lay_frost(picture, layer.x, layer.y, *layer.frost, element.frost_px, self._blender)
            self._blender.blend(picture[layer.y : layer.y + h, layer.x : layer.x + w], layer.color, layer.keep)

    def cover(self, i: int) -> Cover:
        """Where the interface of frame `i` lies; drawn anew only when a layer has changed."""
        keys = self._keys_of(i)
        if keys != self._keys:
            self._cover, self._keys = self._covered(keys), keys
        return self._cover

    def mask(self, i: int) -> np.ndarray:
        """Joint alpha coverage of frame `i` alone, uint8 (height, width), read-only."""
        return self.cover(i).mask

    def ids(self, i: int) -> np.ndarray:
        """Which element is seen at each pixel of frame `i`, uint8 (height, width), read-only: the place in the recipe's
        list, from 1 on, of the topmost one that covers at least MIN_VISIBLE_ALPHA; 0 where none does.
        """
        cover = self.cover(i)
        if cover is not self._ids_of:
            self._ids_of, self._ids = cover, np.zeros_like(cover.mask)
            for number, (element, key) in enumerate(zip(self._elements, self._keys, strict=True), 1):
                if key is not None:
                    layer = element.layer(key)
                    h, w = layer.alpha.shape
                    spot = self._ids[layer.y : layer.y + h, layer.x : layer.x + w]
                    spot[layer.alpha >= MIN_VISIBLE_ALPHA] = number
            self._ids.setflags(write=False)
        return self._ids

    def _covered(self, keys: list[_Key | None]) -> Cover:
        """Union of the alphas."""
        mask = np.zeros((self.canvas[1], self.canvas[0]), np.uint8)
        reach: list[Rect] = []
        for element, key in zip(self._elements, keys, strict=False):
            if key is None:
                continue
            layer = element.layer(key)
            h, w = layer.alpha.shape
            if not h:
                continue
            part = mask[layer.y : layer.y + h, layer.x : layer.x + w]
            if part.any():
                part[...] += divide_255((255 - part.astype(np.uint16)) * layer.alpha).astype(np.uint8)
            else:
                part[...] = layer.alpha
            around = 2 * element.frost_px if layer.frost is not None else 0
            reach.append(_grown((layer.x, layer.y, w, h), around, self.canvas))
        mask.setflags(write=False)
        return Cover(mask, tuple(reach))

    def _keys_of(self, i: int) -> list[_Key | None]:
        if not 0 <= i < self.num_frames:
            raise IndexError(f"frame {i} is outside the pair's 0..{self.num_frames - 1}")
        if i != self._at:
            self._at, self._keys_at = i, [element.key(i) for element in self._elements]
        return self._keys_at

    def boxes(self, i: int) -> list[dict[str, Any]]:
        """Tight boxes (alpha >= 8 of 255) of all elements at frame `i`, in canvas pixels.

        Elements that are not on screen are listed with visible = False and a box of zeros.
        """
        rows = []
        for element, key in zip(self._elements, self._keys_of(i), strict=True):
            box = element.layer(key).box if key is not None else None
            x, y, w, h = box or (0, 0, 0, 0)
            rows.append(
                {
                    "element_id": element.spec["element_id"],
                    "cls": element.spec["cls"],
                    "x": x,
                    "y": y,
                    "w": w,
                    "h": h,
                    "visible": box is not None,
                }
            )
        return rows
