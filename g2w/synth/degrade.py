"""The stream that a viewer gets: H.264, HEVC or AV1 at a streaming bit rate, with the chroma of the recipe.

This is the last encode of a rendered pair, not one more on top: what comes before it is the same in virtual and rendered
pairs. `recompress` gives cached chunks of virtual pairs the same artifacts.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import av
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import VideoReformatter

from g2w.synth.config import CHROMAS, ENCODERS
from g2w.video.read import set_threads, to_rgb
from g2w.video.write import BT709, LIMITED, to_yuv

_TAGS = {"libx265": "hvc1"}  # players of Apple and browsers refuse HEVC in mp4 under ffmpeg's own tag


def codec_of(recipe_row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Encoder, kbps and chroma of a recipe row; None for the pairs that keep the plain final encode."""
    found: dict[str, Any] | None = json.loads(recipe_row.get("look") or "{}").get("codec")
    return found


class StreamWriter:
    """Encodes RGB frames at a bit rate, as broadcasters do: constant rate, a keyframe every two seconds, BT.709.

    Args:
        target: file, or a binary stream to fill.
        codec: encoder (one of ENCODERS), kbps (for 1280x720, scaled by area), chroma (one of CHROMAS).
        threads: of x264; the other two run on one thread, because more give other bytes from run to run.

    Raises:
        ValueError: for an unknown encoder or chroma, or a rate below 1.
    """

    def __init__(
        self,
        target: str | Path | BinaryIO,
        codec: Mapping[str, Any],
        *,
        width: int,
        height: int,
        fps: int = 30,
        threads: int = 1,
    ) -> None:
        if codec["encoder"] not in ENCODERS or codec["chroma"] not in CHROMAS or codec["kbps"] < 1:
            raise ValueError(f"codec {dict(codec)}: use an encoder of {ENCODERS}, a chroma of {CHROMAS} and kbps >= 1")
        os.environ.setdefault("SVT_LOG", "1")  # else the AV1 encoder prints 20 lines for every video
        # the index can move to the front only of a file that can be opened again
        named = isinstance(target, (str, Path))
        options = {"movflags": "+faststart"} if named else {}
        self._container = av.open(str(target) if named else target, "w", format="mp4", options=options)
        self._stream = self._container.add_stream(codec["encoder"], rate=Fraction(fps))
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, codec["chroma"]
        context = self._stream.codec_context
        rate = max(20_000, codec["kbps"] * 1000 * width * height // (1280 * 720))
        context.bit_rate, context.gop_size = rate, 2 * fps
        context.colorspace, context.color_primaries, context.color_trc, context.color_range = (
            BT709,
            BT709,
            BT709,
            LIMITED,
        )
        context.thread_count = threads if codec["encoder"] == "libx264" else 1
        if codec["encoder"] in _TAGS:
            context.codec_tag = _TAGS[codec["encoder"]]
        self._stream.options = _options(codec["encoder"], rate)
        self._reformatter, self._chroma = VideoReformatter(), codec["chroma"]
        self._time_base, self._count = Fraction(1, fps), 0

    def write(self, rgb: np.ndarray) -> None:
        """Append a frame, uint8 RGB (height, width, 3)."""
        self.write_yuv(to_yuv(rgb, self._reformatter, self._chroma))

    def write_yuv(self, frame: av.VideoFrame) -> None:
        """Append a frame of the codec's chroma, BT.709, limited range; its time and picture type are overwritten."""
        frame.time_base, frame.pts, frame.pict_type = self._time_base, self._count, PictureType.NONE
        self._count += 1
        self._mux(frame)

    def _mux(self, frame: av.VideoFrame | None) -> None:
        for packet in self._stream.encode(frame):
            self._container.mux(packet)

    def close(self) -> None:
        """Flush and finish."""
        self._mux(None)
        self._container.close()

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _options(encoder: str, rate: int) -> dict[str, str]:
    if encoder == "libx264":
        # With B-frames, x264's macroblock tree gives other bytes one time in six even on one thread (none in 200 without).
        steady = {"preset": "veryfast", "x264-params": "mbtree=0:sync-lookahead=0"}
        return {**steady, "maxrate": str(rate), "bufsize": str(2 * rate)}
    if encoder == "libx265":
        limits = f"vbv-maxrate={rate // 1000}:vbv-bufsize={2 * rate // 1000}"
        return {"preset": "ultrafast", "x265-params": f"log-level=error:pools=none:frame-threads=1:{limits}"}
    return {"preset": "9", "svtav1-params": "lp=1:rc=1"}


def recompress(frames: Iterable[np.ndarray], codec: Mapping[str, Any], *, fps: int = 30) -> Iterator[np.ndarray]:
    """Frames, uint8 RGB (height, width, 3), after the codec: encoded in memory and decoded again, as many as came in.

    Raises:
        ValueError: if there are no frames.
    """
    pictures = list(frames)
    if not pictures:
        raise ValueError("no frames to compress")
    height, width = pictures[0].shape[:2]
    buffer = io.BytesIO()
    with StreamWriter(buffer, codec, width=width, height=height, fps=fps) as writer:
        for picture in pictures:
            writer.write(picture)
    buffer.seek(0)
    reformatter = VideoReformatter()
    with av.open(buffer, "r") as container:
        stream = container.streams.video[0]
        set_threads(stream, 1)
        for frame in container.decode(stream):
            yield to_rgb(frame, reformatter=reformatter)
