"""Materialize one pair: UI video, lossless masks, box table. The clean side is referenced, never re-encoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from g2w.lineage.canonical import sha256_file
from g2w.synth.degrade import StreamWriter, codec_of
from g2w.synth.layout import HEIGHT, WIDTH
from g2w.synth.overlay import Overlay
from g2w.synth.render import Cover, PairRenderer
from g2w.video.aligned import ELEMENTS_SCHEMA
from g2w.video.masks import ALPHA, IDS, MaskWriter
from g2w.video.read import iter_decoded, iter_frames, to_rgb
from g2w.video.write import VideoWriter

T = TypeVar("T")


def iter_pair(
    recipe_row: Mapping[str, Any],
    clip_path: str | Path,
    library_dir: str | Path,
    *,
    span: range | None = None,
    canvas: tuple[int, int] = (WIDTH, HEIGHT),
    threads: int = 1,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Virtual pair: yield (ui, clean, mask) frame by frame, composed on the fly; the same pixels as the rendered pair
    before its encode.

    Args:
        span: frames of the pair, in steps of 1; None for all of them.

    Raises:
        ValueError: if the clip ends before the recipe does, or the span does not lie inside the pair.
    """
    renderer = PairRenderer(library_dir, recipe_row, canvas=canvas)
    span = span if span is not None else range(renderer.num_frames)
    if span.step != 1 or not 0 <= span.start < span.stop <= renderer.num_frames:
        raise ValueError(f"pair {recipe_row['pair_id']}: {span} is not inside its {renderer.num_frames} frames")
    start, stop = (renderer.start_frame + end for end in (span.start, span.stop))
    size = None if canvas == (WIDTH, HEIGHT) else canvas
    frames = iter_frames(clip_path, start=start, stop=stop, size=size, threads=threads)
    for index, clean in zip(
        span, _complete(frames, len(span), f"pair {recipe_row['pair_id']}: {clip_path}"), strict=True
    ):
        ui, mask = renderer.frame(index, clean)
        yield ui, clean, mask


def _complete(frames: Iterable[T], count: int, where: str) -> Iterator[T]:
    """The same frames; raises a ValueError if there are fewer than `count`."""
    found = 0
    for frame in frames:
        yield frame
        found += 1
    if found < count:
        raise ValueError(f"{where} ends after {found} frames from where the pair begins, the recipe needs {count}")


def render_pair(
    recipe_row: Mapping[str, Any],
    clip_path: str | Path,
    library_dir: str | Path,
    out_dir: str | Path,
    *,
    crf: int = 18,
    preset: str = "veryfast",
    threads: int = 1,
    fps: int = 30,
) -> dict[str, Any]:
    """Write `<pair_id>` .ui.mp4, .masks.parquet and .boxes.parquet into `out_dir`.

    The masks (see `g2w.video.masks`) have two planes: `alpha`, the coverage, and `ids`, see `PairRenderer.ids`.

    Where the recipe names a codec, the UI side is encoded by it at its bit rate; `crf` and `preset` hold for the others.
    With 4:2:0 chroma the interface is laid into the decoded video itself (see `g2w.synth.overlay`): outside the mask both
    sides are equal to the byte before the encode.

    Returns:
        A row: pair_id, clip_id, game, split, is_control, num_frames, start_frame, num_elements, encoder and kbps of the
        UI side (0 where `crf` holds), mask_share (mean alpha coverage 0..1), ui / masks / boxes (file names) and
        their sha256.

    Raises:
        ValueError: if the clip ends before the recipe does, or is not 1280x720.
    """
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    pair_id = str(recipe_row["pair_id"])
    names = {"ui": f"{pair_id}.ui.mp4", **{kind: f"{pair_id}.{kind}.parquet" for kind in ("masks", "boxes")}}
    renderer, start = PairRenderer(library_dir, recipe_row), int(recipe_row["start_frame"])
    codec = codec_of(recipe_row)
    overlay = Overlay(renderer) if codec is None or codec["chroma"] == "yuv420p" else None
    covers: list[float] = []
    boxes: list[dict[str, Any]] = []
    seen: Cover | None = None
    size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT, "fps": fps, "threads": threads}
    with (
        VideoWriter(out / names["ui"], crf=crf, preset=preset, **size)
        if codec is None
        else StreamWriter(out / names["ui"], codec, **size) as video,
        MaskWriter(out / names["masks"], width=WIDTH, height=HEIGHT, planes=(ALPHA, IDS)) as masks,
    ):
        frames = iter_decoded(clip_path, start=start, stop=start + renderer.num_frames, threads=threads)
        where = f"pair {pair_id}: {clip_path}"
        for index, clean in enumerate(_complete(frames, renderer.num_frames, where)):
            if overlay is not None:
                video.write_yuv(overlay.lay(index, clean))
            else:
                video.write(renderer.frame(index, to_rgb(clean))[0])
            cover = renderer.cover(index)
            masks.write(cover.mask, renderer.ids(index))
            covers.append(covers[-1] if cover is seen else float(cover.mask.mean(dtype=np.float64)) / 255)
            seen = cover
            boxes.extend({"frame_index": index, **box} for box in renderer.boxes(index))
    pq.write_table(pa.Table.from_pylist(boxes, schema=ELEMENTS_SCHEMA), out / names["boxes"], compression="zstd")
    kept = ("pair_id", "clip_id", "game", "split", "is_control", "num_frames", "start_frame", "num_elements")
    return {
        **{key: recipe_row[key] for key in kept},
        "encoder": codec["encoder"] if codec else "libx264",
        "kbps": codec["kbps"] if codec else 0,
        "mask_share": round(sum(covers) / len(covers), 6),
        **names,
        **{f"{key}_sha256": sha256_file(out / name) for key, name in names.items()},
    }
