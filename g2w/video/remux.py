"""Copying spans of canonical video packet by packet: no decoding, no second encoding, no lost quality."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from g2w.video.read import video_stream

_IDR = 5
_BT709_OR_UNTAGGED = (1, 2)


def is_canonical(path: str | Path, row: Mapping[str, Any], *, width: int, height: int, fps: int) -> bool:
    """True if the frames of a probed file can be copied as they are.

    That is H.264 yuv420p in mp4, the wanted size and constant rate, square pixels, upright, BT.709 (or untagged, which
    at this size means BT.709), no B-frames, no edit list, and nothing damaged.
    """
    facts = (row["codec"], row["pix_fmt"], row["width"], row["height"], row["fps"], row["sar"], row["rotation"])
    if facts != ("h264", "yuv420p", width, height, str(Fraction(fps)), "1", 0) or "mp4" not in (row["container"] or ""):
        return False
    if row["is_vfr"] or row["is_interlaced"] or row["num_errors"] or row["header_frames"] != row["num_frames"]:
        return False
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        context = stream.codec_context
        tagged_well = int(context.colorspace) in _BT709_OR_UNTAGGED and int(context.color_range) in (0, 1)
        return tagged_well and not context.has_b_frames and stream.start_time == 0


def idr_frames(path: str | Path, frames: Iterable[int]) -> set[int]:
    """Those of the given frame indices at which a decoder can start without anything before (IDR pictures).

    A "key" packet may also be a recovery point of an open GOP, from which a copy would start damaged.
    """
    wanted, found = set(frames), set()
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        prefix = (bytes(stream.codec_context.extradata or b"\0" * 5)[4] & 3) + 1
        for index, packet in enumerate(container.demux(stream)):
            if index in wanted and packet.size and _has_idr(bytes(packet), prefix):
                found.add(index)
    return found


def _has_idr(data: bytes, prefix: int) -> bool:
    place = 0
    while place + prefix < len(data):
        if data[place + prefix] & 31 == _IDR:
            return True
        place += prefix + int.from_bytes(data[place : place + prefix], "big")
    return False


def copy_spans(path: str | Path, spans: Mapping[int, Path], num_frames: int) -> None:
    """Copy `num_frames` packets from each start frame in `spans` to the file it maps to, in one reading pass.

    The source must be canonical (`is_canonical`) and every start an IDR frame; spans must not overlap.
    """
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        copy: _Copy | None = None
        for index, packet in enumerate(container.demux(stream)):
            if index in spans:
                copy = _Copy(spans[index], stream, packet.pts or 0, index + num_frames)
            if copy is not None and packet.size:
                copy.add(packet)
                if index + 1 == copy.stop:
                    copy.close()
                    copy = None
        if copy is not None:
            raise ValueError(f"{path}: ends before the span that should reach frame {copy.stop}")


class _Copy:
    """One clip that is being copied."""

    def __init__(self, path: Path, template: av.video.stream.VideoStream, first_pts: int, stop: int) -> None:
        self.stop = stop
        self._path, self._first_pts = path, first_pts
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.mp4")
        self._out = av.open(str(self._temporary), "w", options={"movflags": "+faststart", "fflags": "+bitexact"})
        self._stream = self._out.add_stream_from_template(template)

    def add(self, packet: av.Packet) -> None:
        packet.pts = packet.dts = (packet.pts or 0) - self._first_pts
        packet.stream = self._stream
        self._out.mux(packet)

    def close(self) -> None:
        self._out.close()
        os.replace(self._temporary, self._path)
