"""A pair's interface laid straight into decoded video: only what it touches is converted to RGB and back.

Converting whole frames costs as much as decoding them twice. Here every pixel outside the mask keeps the very bytes of the
clean video, also in the encoder's own color space; inside, the pixels are those of the virtual pair, converted.
"""

from __future__ import annotations

import av
import cv2
import numpy as np
from av.video.reformatter import Interpolation, VideoReformatter

from g2w.synth.render import Cover, PairRenderer, Rect
from g2w.video.read import to_rgb
from g2w.video.write import BT709, LIMITED, is_canonical, to_yuv

# Regions begin and end on this grid: chroma pairs stay together and vector code meets whole blocks.
_GRID = 16
# What the interpolation of chroma may look at beyond a region
_CONTEXT_PX = 16
# Two regions are joined where the pixels this adds cost less than the calls it saves
_CALL_PX = 20_000
# Regions that are kept with their converters, some 100 kB each
_MAX_KNOWN = 100


class Overlay:
    """Lays one pair over the frames of its clip, in order or not.

    Args:
        renderer: at the full canvas.
    """

    def __init__(self, renderer: PairRenderer) -> None:
        self._renderer = renderer
        width, height = renderer.canvas
        self._canvas = np.zeros((height, width, 3), np.uint8)
        self._cover: Cover | None = None
        self._regions: list[_Region] = []
        self._known: dict[Rect, _Region] = {}
        self._tags: av.VideoFrame | None = None

    def lay(self, i: int, clean: av.VideoFrame) -> av.VideoFrame:
        """Frame `i` of the pair as yuv420p, BT.709, limited range.

        Args:
            clean: the decoded clip frame start_frame + i; not changed.

        Raises:
            ValueError: if it has another size than the canvas.
        """
        width, height = self._renderer.canvas
        if (clean.width, clean.height) != (width, height):
            raise ValueError(f"the clip is {clean.width}x{clean.height}, the pair is drawn at {width}x{height}")
        if not is_canonical(clean):
            clean = to_yuv(to_rgb(clean), VideoReformatter())
        cover = self._renderer.cover(i)
        if self._tags is None:
            self._tags = _blank(clean, _GRID, _GRID)
        if cover is not self._cover:
            self._cover, self._regions = cover, self._plan(cover, self._tags)
        out = _copied(clean)
        if self._regions:
            source, target = _planes(clean), _planes(out)
            for region in self._regions:
                region.read(source, self._canvas)
            self._renderer.draw(i, self._canvas)
            for region in self._regions:
                region.write(self._canvas, target)
        return out

    def _plan(self, cover: Cover, tags: av.VideoFrame) -> list[_Region]:
        canvas = self._renderer.canvas
        boxes = join([_on_grid(box, canvas) for box in cover.reach])
        # An interface that shakes comes back to the same boxes.
        known = self._known if len(self._known) < _MAX_KNOWN else {}
        self._known = known | {box: known.get(box) or _Region(box, canvas, tags) for box in boxes}
        return [self._known[box].for_mask(cover.mask) for box in boxes]


class _Region:
    """A rectangle on its way from video planes to RGB and back; its converters are kept between frames."""

    def __init__(self, box: Rect, canvas: tuple[int, int], tags: av.VideoFrame) -> None:
        x, y, w, h = self.box = box
        x0, y0 = max(0, x - _CONTEXT_PX), max(0, y - _CONTEXT_PX)
        x1, y1 = min(canvas[0], x + w + _CONTEXT_PX), min(canvas[1], y + h + _CONTEXT_PX)
        self._around = (x0, y0, x1 - x0, y1 - y0)
        self._spot = _slices(box)
        self._inner = _slices((x - x0, y - y0, w, h))
        self._sub = _blank(tags, x1 - x0, y1 - y0)
        self._sub_planes = _planes(self._sub)
        self._to_rgb, self._to_yuv = VideoReformatter(), VideoReformatter()
        self._masks: list[np.ndarray] = []

    def for_mask(self, mask: np.ndarray) -> _Region:
        """Which samples of each plane the interface changes: a chroma sample if it does so to any of its four pixels."""
        luma = (mask[self._spot] != 0).view(np.uint8)
        chroma = luma[::2, ::2] | luma[::2, 1::2] | luma[1::2, ::2] | luma[1::2, 1::2]
        self._masks = [luma, chroma, chroma]
        return self

    def read(self, source: list[np.ndarray], canvas: np.ndarray) -> None:
        for plane, (whole, part) in enumerate(zip(source, self._sub_planes, strict=True)):
            part[...] = whole[_slices(self._around, plane)]
        canvas[self._spot] = to_rgb(self._sub, None, self._to_rgb)[self._inner]

    def write(self, canvas: np.ndarray, target: list[np.ndarray]) -> None:
        drawn = _planes(to_yuv(canvas[self._spot], self._to_yuv))
        for plane, (part, mask) in enumerate(zip(drawn, self._masks, strict=True)):
            cv2.copyTo(part, mask, target[plane][_slices(self.box, plane)])


def join(boxes: list[Rect]) -> list[Rect]:
    """Disjoint boxes (x, y, w, h) that cover all of these, joined where that is cheaper than keeping them apart."""
    out: list[Rect] = []
    for box in boxes:
        merged = True
        while merged:
            merged = False
            for other in out:
                both = _union(box, other)
                if _overlap(box, other) or _area(both) <= _area(box) + _area(other) + _CALL_PX:
                    out.remove(other)
                    box, merged = both, True
                    break
        out.append(box)
    return sorted(out)


def _area(box: Rect) -> int:
    return box[2] * box[3]


def _union(a: Rect, b: Rect) -> Rect:
    x, y = min(a[0], b[0]), min(a[1], b[1])
    return x, y, max(a[0] + a[2], b[0] + b[2]) - x, max(a[1] + a[3], b[1] + b[3]) - y


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def _on_grid(box: Rect, canvas: tuple[int, int]) -> Rect:
    x0, y0 = box[0] // _GRID * _GRID, box[1] // _GRID * _GRID
    x1, y1 = -(-(box[0] + box[2]) // _GRID) * _GRID, -(-(box[1] + box[3]) // _GRID) * _GRID
    return x0, y0, min(x1, canvas[0]) - x0, min(y1, canvas[1]) - y0


def _slices(box: Rect, plane: int = 0) -> tuple[slice, slice]:
    """Rows and columns of a box in plane 0 (luma) or 1, 2 (chroma, half as many)."""
    x, y, w, h = box if plane == 0 else tuple(value // 2 for value in box)
    return slice(y, y + h), slice(x, x + w)


def _planes(frame: av.VideoFrame) -> list[np.ndarray]:
    """The three planes of a yuv420p frame as uint8 arrays without their padding."""
    found = []
    for plane in frame.planes:
        rows = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)
        found.append(rows[:, : plane.width])
    return found


def _blank(tags: av.VideoFrame, width: int, height: int) -> av.VideoFrame:
    """A yuv420p frame to be filled, with the tags of another of another size: above all where its chroma is sited, which
    decides the interpolation and cannot be set by itself.
    """
    return VideoReformatter().reformat(tags, width, height, "yuv420p", interpolation=Interpolation.POINT, threads=1)


def _copied(frame: av.VideoFrame) -> av.VideoFrame:
    """A frame of its own: the decoder still predicts from the one that it gave out."""
    out = av.VideoFrame(frame.width, frame.height, "yuv420p")
    out.colorspace, out.color_range = BT709, LIMITED
    for target, source in zip(_planes(out), _planes(frame), strict=True):
        target[...] = source
    return out
