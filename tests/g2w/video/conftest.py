"""Small real videos, written by PyAV as the tests need them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest


def picture(index: int, size: tuple[int, int] = (320, 180)) -> np.ndarray:
    """A textured scene that moves 3 px to the left per frame, with the frame's number in gray bars on top (16 bits)."""
    width, height = size
    x, y = np.meshgrid(np.arange(width) + 3 * index, np.arange(height))
    red = 128 + 90 * np.sin(x / 11.0) * np.cos(y / 17.0)
    green = 128 + 90 * np.sin(x / 23.0 + y / 9.0)
    blue = 128 + 90 * np.cos(x / 7.0)
    rgb = np.stack([red, green, blue], axis=-1)
    for bit in range(16):
        cell = slice(bit * width // 16, (bit + 1) * width // 16)
        rgb[: height // 10, cell] = 220 if index >> bit & 1 else 30
    return np.rint(rgb).astype(np.uint8)


def number_of(rgb: np.ndarray) -> int:
    """The frame number that `picture` drew."""
    height, width = rgb.shape[:2]
    row = rgb[height // 20].astype(int).mean(axis=-1)
    return sum(1 << bit for bit in range(16) if row[(2 * bit + 1) * width // 32] > 125)


def encode(
    path: Path,
    frames: Iterable[np.ndarray],
    *,
    fps: Fraction | int = 30,
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    options: dict[str, str] | None = None,
    ticks: Iterable[int] | None = None,
    time_base: Fraction | None = None,
    sar: Fraction | None = None,
    rotation: int | None = None,
    container: dict[str, str] | None = None,
) -> Path:
    """Encode frames with any codec and flags; `ticks` are presentation times in `time_base`."""
    frames = list(frames)
    with av.open(str(path), "w", options=container or {}) as out:
        stream: Any = out.add_stream(codec, rate=Fraction(fps))
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt, stream.options = pix_fmt, options or {}
        stream.codec_context.thread_count = 1
        if time_base is not None:
            stream.codec_context.time_base = time_base
        if sar is not None:
            stream.codec_context.sample_aspect_ratio = sar
        if rotation is not None:
            stream.set_display_rotation(rotation)
        times = list(ticks) if ticks is not None else list(range(len(frames)))
        for tick, rgb in zip(times, frames, strict=True):
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            frame.pts, frame.time_base = tick, time_base or 1 / Fraction(fps)
            for packet in stream.encode(frame):
                out.mux(packet)
        for packet in stream.encode(None):
            out.mux(packet)
    return path


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds, 320x180, 30 fps, a keyframe each second, B-frames."""
    path = tmp_path_factory.mktemp("base") / "base.mp4"
    return encode(path, (picture(i) for i in range(180)), options={"g": "30"}, container={"movflags": "+faststart"})


@pytest.fixture(scope="session")
def video() -> SimpleNamespace:
    """`picture`, `number_of` and `encode`, for tests that write their own videos."""
    return SimpleNamespace(picture=picture, number_of=number_of, encode=encode)
