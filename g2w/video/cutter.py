"""Clips from video of any kind: decoded once, in order, resampled by time, fitted and encoded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.video.reformatter import VideoReformatter

from g2w.video.clip_config import ClipConfig, Span, clip_id_of
from g2w.video.decode import Damage, Decoded, decode_all
from g2w.video.fit import fit_frame
from g2w.video.resample import Resampler
from g2w.video.write import VideoWriter


def encode_clips(
    path: Path, probe_row: Mapping[str, Any], out_dir: Path, config: ClipConfig, skip: Set[int]
) -> list[Span]:
    """Encode every clip whose first source frame is not in `skip` to `<clip_id>.mp4`.

    Returns:
        The spans that are not skipped, whole ones (their files are written) and remainders (shorter than
        `config.num_frames`, no file).
    """
    shots = json.loads(probe_row["shots"])
    spans: list[Span] = []
    cutter: _ShotCutter | None = None
    shot_id = 0
    with av.open(str(path)) as container:
        for decoded in decode_all(container, path, Damage()):
            while shot_id < len(shots) and decoded.index >= shots[shot_id][1]:
                spans += cutter.finish() if cutter else []
                cutter, shot_id = None, shot_id + 1
            if shot_id == len(shots):
                break
            if decoded.index >= shots[shot_id][0]:
                cutter = cutter or _ShotCutter(probe_row, shot_id, shots[shot_id], out_dir, config, skip)
                cutter.add(decoded)
    return spans + (cutter.finish() if cutter else [])


class _ShotCutter:
    """Clips of one shot, encoded while the shot is decoded."""

    def __init__(
        self,
        probe_row: Mapping[str, Any],
        shot_id: int,
        shot: Sequence[int],
        out_dir: Path,
        config: ClipConfig,
        skip: Set[int],
    ) -> None:
        self._row, self._shot_id, self._out, self._config, self._skip = probe_row, shot_id, out_dir, config, skip
        self._resampler: Resampler[Decoded] = Resampler(config.fps)
        self._frame_s = 1 / Fraction(probe_row["fps"])
        self._sar = float(Fraction(probe_row["sar"]))
        self._reformatter = VideoReformatter()
        self._spans: list[Span] = []
        self._writer: VideoWriter | None = None
        # With a constant rate the length is known before, and a remainder is not encoded for nothing.
        out_frames = int((shot[1] - shot[0]) * self._frame_s * config.fps + Fraction(1, 100))
        self._stop = None if probe_row["is_vfr"] else out_frames // config.num_frames * config.num_frames

    def add(self, decoded: Decoded) -> None:
        for number, picture in self._resampler.add(decoded.time_s, decoded):
            self._place(number, picture)

    def finish(self) -> list[Span]:
        for number, picture in self._resampler.finish(self._frame_s):
            self._place(number, picture)
        if self._writer is not None:
            self._writer.abort()
        return [span for span in self._spans if span.start_frame not in self._skip]

    def _place(self, number: int, picture: Decoded) -> None:
        config = self._config
        clip_index, place = divmod(number, config.num_frames)
        if place == 0:
            self._spans.append(Span(self._shot_id, clip_index, picture.index, float(picture.time_s), []))
        span = self._spans[-1]
        span.frames.append(picture.index)
        if span.start_frame in self._skip or (self._stop is not None and number >= self._stop):
            return
        if place == 0:
            name = f"{clip_id_of(self._row['sha256'], span.start_frame, config)}.mp4"
            self._writer = VideoWriter(
                self._out / name,
                width=config.width,
                height=config.height,
                fps=config.fps,
                crf=config.crf,
                preset=config.preset,
                threads=config.threads,
            )
        assert self._writer is not None
        canvas = (config.width, config.height)
        self._writer.write(fit_frame(picture.frame, self._sar, canvas, config.policy, self._reformatter))
        if place == config.num_frames - 1:
            self._writer.close()
            self._writer = None
