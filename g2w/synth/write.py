"""Materialize one pair: UI video, lossless mask video, box table. The clean side is referenced, never re-encoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from g2w.lineage.canonical import sha256_file
from g2w.synth.degrade import StreamWriter, codec_of
from g2w.synth.layout import HEIGHT, WIDTH
from g2w.synth.render import PairRenderer
from g2w.video.aligned import ELEMENTS_SCHEMA
from g2w.video.read import iter_frames
from g2w.video.write import VideoWriter


class MaskWriter:
    """Lossless 8-bit gray video: H.264 with quantizer 0.

    Chosen over FFV1 and PNG because masks hardly change from frame to frame: predicted frames cost a few bytes where an
    intra codec stores every frame anew, any player opens the mp4, and decoding returns the very bytes (a test).
    """

    def __init__(
        self, path: str | Path, *, width: int, height: int, fps: int = 30, gop: int = 30, threads: int = 1
    ) -> None:
        self._container = av.open(str(path), "w")
        self._stream = self._container.add_stream("libx264", rate=fps)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "gray"
        context = self._stream.codec_context
        context.thread_count, context.gop_size, context.max_b_frames = threads, gop, 0
        self._stream.options = {"preset": "ultrafast", "qp": "0", "bf": "0"}

    def write(self, mask: np.ndarray) -> None:
        """Append a mask, uint8 (height, width)."""
        for packet in self._stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(mask), format="gray")):
            self._container.mux(packet)

    def close(self) -> None:
        """Flush and finish the file."""
        for packet in self._stream.encode():
            self._container.mux(packet)
        self._container.close()

    def __enter__(self) -> MaskWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def iter_masks(path: str | Path, *, threads: int = 1) -> Iterator[np.ndarray]:
    """Yield the masks of a mask video, uint8 (height, width), alpha coverage 0..255, exactly as they were written."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = threads
        for frame in container.decode(stream):
            # the luma plane itself: a conversion would stretch "limited range" and change the values
            plane = frame.planes[0]
            rows = np.asarray(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
            yield rows[: frame.height, : frame.width].copy()


def iter_pair(
    recipe_row: Mapping[str, Any],
    clip_path: str | Path,
    library_dir: str | Path,
    *,
    canvas: tuple[int, int] = (WIDTH, HEIGHT),
    threads: int = 1,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Virtual pair: yield (ui, clean, mask) frame by frame, composed on the fly; the same pixels as the rendered pair
    before its encode.

    Raises:
        ValueError: if the clip ends before the recipe does.
    """
    renderer = PairRenderer(library_dir, recipe_row, canvas=canvas)
    start, size = renderer.start_frame, None if canvas == (WIDTH, HEIGHT) else canvas
    count = 0
    for clean in iter_frames(clip_path, start=start, stop=start + renderer.num_frames, size=size, threads=threads):
        ui, mask = renderer.frame(count, clean)
        yield ui, clean, mask
        count += 1
    if count != renderer.num_frames:
        raise ValueError(
            f"pair {recipe_row['pair_id']}: {clip_path} has {count} frames from {start}, "
            f"the recipe needs {renderer.num_frames}"
        )


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
    """Write `<pair_id>.ui.mp4`, `<pair_id>.mask.mp4` and `<pair_id>.boxes.parquet` into `out_dir`.

    Where the recipe names a codec, the UI side is encoded by it at its bit rate; `crf` and `preset` hold for the others.

    Returns:
        A row: pair_id, clip_id, game, split, is_control, num_frames, start_frame, num_elements, encoder and kbps of the
        UI side (0 where `crf` holds), mask_share (mean alpha coverage 0..1), ui / mask / boxes (file names) and their
        sha256.
    """
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    pair_id = str(recipe_row["pair_id"])
    names = {"ui": f"{pair_id}.ui.mp4", "mask": f"{pair_id}.mask.mp4", "boxes": f"{pair_id}.boxes.parquet"}
    renderer = PairRenderer(library_dir, recipe_row)
    coverage = 0.0
    boxes: list[dict[str, Any]] = []
    codec = codec_of(recipe_row)
    size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT, "fps": fps, "threads": threads}
    with (
        VideoWriter(out / names["ui"], crf=crf, preset=preset, **size)
        if codec is None
        else StreamWriter(out / names["ui"], codec, **size) as video,
        MaskWriter(out / names["mask"], width=WIDTH, height=HEIGHT, fps=fps, threads=threads) as masks,
    ):
        for index, (ui, _, mask) in enumerate(iter_pair(recipe_row, clip_path, library_dir, threads=threads)):
            video.write(ui)
            masks.write(mask)
            coverage += float(mask.mean(dtype=np.float64)) / 255
            boxes.extend({"frame_index": index, **box} for box in renderer.boxes(index))
    pq.write_table(pa.Table.from_pylist(boxes, schema=ELEMENTS_SCHEMA), out / names["boxes"], compression="zstd")
    kept = ("pair_id", "clip_id", "game", "split", "is_control", "num_frames", "start_frame", "num_elements")
    return {
        **{key: recipe_row[key] for key in kept},
        "encoder": codec["encoder"] if codec else "libx264",
        "kbps": codec["kbps"] if codec else 0,
        "mask_share": round(coverage / renderer.num_frames, 6),
        **names,
        **{f"{key}_sha256": sha256_file(out / name) for key, name in names.items()},
    }
