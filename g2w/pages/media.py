"""Videos for browsers: the file itself where any browser plays it, else a form that is made for the page only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np

from g2w.pages.site import fresh, place
from g2w.video.masks import iter_masks
from g2w.video.read import iter_frames, read_frames, video_stream
from g2w.video.sheet import save_webp
from g2w.video.write import write_video

# Chromium without a hardware decoder refuses HEVC; H.264 in 4:2:2 and 4:4:4 it plays, but not every browser does.
PLAYABLE = frozenset({("h264", "yuv420p"), ("av1", "yuv420p"), ("vp9", "yuv420p")})
_CRF = 16


def playable(path: Path) -> bool:
    """Whether browsers play the video as it is."""
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        # "libdav1d" is how libav names its decoder, "av1" how the format is called
        name = stream.codec_context.codec.canonical_name
        # lossless H.264 is of that profile in any layout
        return (name, stream.pix_fmt) in PLAYABLE and "4:4:4" not in (stream.profile or "")


def place_video(source: Path, target: Path) -> bool:
    """Put a video beside a page; True if it is the very file, False if it had to be encoded for the page."""
    if playable(source):
        place(source, target)
        return True
    write_video(fresh(target), iter_frames(source), crf=_CRF)
    return False


def place_mask(source: Path, target: Path) -> None:
    """Encode the alpha plane of a mask file as a video for a page."""
    write_video(fresh(target), (np.repeat(mask[..., None], 3, axis=2) for mask in iter_masks(source)), crf=_CRF)


def poster_strip(source: Path, target: Path, *, num_frames: int, count: int, size: tuple[int, int]) -> list[int]:
    """Write `count` frames of a video side by side as one WebP; returns the frames, spread evenly over the video."""
    count = min(count, num_frames)
    frames = [(2 * k + 1) * num_frames // (2 * count) for k in range(count)]
    pictures: Sequence[np.ndarray] = [read_frames(source, start=k, stop=k + 1, size=size)[0] for k in frames]
    save_webp(fresh(target), np.concatenate(pictures, axis=1), quality=80)
    return frames
