"""Building the sets with ground truth: twins of one episode (game2world_gt) and synthetic pairs (game2world_s)."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow.parquet as pq

from g2w.bench.items import (
    boxes_by_frame,
    clip_box,
    item_times,
    read_items,
    scene_of,
    write_set,
)
from g2w.bench.sampling import sampled_frames
from g2w.bench.visibility import difference_mask, hidden_reason
from g2w.lineage.canonical import sha256_file, sha256_json, short
from g2w.video.masks import MaskWriter, iter_masks
from g2w.video.read import iter_frames, video_stream
from g2w.video.remux import copy_spans, idr_frames
from g2w.video.write import VideoWriter

__all__ = ["GT_SUITE", "S_SUITE", "build_gt_set", "build_s_set", "contamination", "find_twins", "read_items"]

GT_SUITE = "game2world_gt"
S_SUITE = "game2world_s"
_TRUTH_CRF = 8
"""Where the clean span does not start on a keyframe it is encoded once more, nearly without loss."""

Row = Mapping[str, Any]


def find_twins(clips: Iterable[Row]) -> list[tuple[Row, Row]]:
    """(clip with HUD, the same moments without) for every benchmark clip whose twin was cut at the same frame."""
    rows = list(clips)
    plain = {(Path(row["video"]).stem, row["start_frame"]): row for row in rows if row["hud"] == "none"}
    twins = []
    for row in rows:
        if (
            row["split"] != "bench"
            or row["hud"] in ("none", "unknown", None)
            or not row["twin"]
            or not row["elements_file"]
        ):
            continue
        clean = plain.get((Path(row["twin"]).stem, row["start_frame"]))
        if clean is not None:
            twins.append((row, clean))
    return twins


def spread(rows: Sequence[Any], games: Sequence[str], max_rows: int) -> list[Any]:
    """At most `max_rows` rows, the games taking turns, so that a small set still holds as many games as it can."""
    if max_rows < 1:
        raise ValueError(f"a set needs room for at least one clip, got {max_rows}")
    queues: dict[str, list[Any]] = defaultdict(list)
    for row, game in zip(rows, games, strict=True):
        queues[game].append(row)
    chosen: list[Any] = []
    while len(chosen) < max_rows and any(queues.values()):
        for game in sorted(queues):
            if queues[game] and len(chosen) < max_rows:
                chosen.append(queues[game].pop(0))
    return chosen


def build_gt_set(clips: Iterable[Row], out_dir: str | Path, *, max_clips: int, num_frames: int) -> list[dict[str, Any]]:
    """Twins: real gameplay rendered with and without its HUD. Boxes come with the footage, masks from the difference.

    Args:
        clips: rows of raw/clips with `path`; rows outside the bench split are skipped.
        out_dir: folder of the set, named like the suite.
        max_clips: most items; games take turns.
        num_frames: frames per item, cut from the start of a clip.

    Returns:
        The items, as in `items.parquet`.
    """
    twins = find_twins(clips)
    chosen = spread(twins, [hud["game"] for hud, _ in twins], max_clips)
    items, elements = [], []
    for hud, clean in chosen:
        boxes = pq.read_table(Path(hud["path"]).parent / hud["elements_file"]).to_pylist()
        length = min(num_frames, int(hud["num_frames"]), int(clean["num_frames"]))
        item = _new_item(GT_SUITE, hud["game"], hud["clip_id"], hud.get("video_sha256"), length)
        out = Path(out_dir)
        _span(Path(hud["path"]), 0, length, out / Path(item["ui_file"]).name)
        _span(Path(clean["path"]), 0, length, out / Path(item["clean_file"]).name)
        _write_difference_masks(item, out, boxes)
        elements += _annotate(item, out, boxes)
        items.append(item)
    write_set(Path(out_dir), items, elements)
    return items


def build_s_set(
    rendered: Iterable[Row],
    rendered_dir: str | Path,
    clip_paths: Mapping[str, str | Path],
    out_dir: str | Path,
    *,
    max_clips: int,
) -> list[dict[str, Any]]:
    """Synthetic pairs of held-out games: the interface is drawn over clean clips, the true alpha is stored.

    Args:
        rendered: rows of pairs/rendered; rows outside the bench split are skipped.
        rendered_dir: folder with the files the rows name.
        clip_paths: clip_id -> clean clip.
        out_dir: folder of the set, named like the suite.
        max_clips: most items; games take turns.

    Returns:
        The items, as in `items.parquet`.
    """
    rows = [row for row in rendered if row["split"] == "bench" and row["clip_id"] in clip_paths]
    chosen = spread(rows, [row["game"] for row in rows], max_clips)
    items, elements, out, source = [], [], Path(out_dir), Path(rendered_dir)
    out.mkdir(parents=True, exist_ok=True)
    for row in chosen:
        item = _new_item(S_SUITE, row["game"], row["clip_id"], row["pair_id"], int(row["num_frames"]))
        shutil.copyfile(source / row["ui"], out / Path(item["ui_file"]).name)
        _span(
            Path(clip_paths[row["clip_id"]]),
            int(row["start_frame"]),
            item["num_frames"],
            out / Path(item["clean_file"]).name,
        )
        boxes = pq.read_table(source / row["boxes"]).to_pylist()
        shutil.copyfile(source / row["masks"], out / Path(item["mask_file"]).name)
        elements += _annotate(item, out, boxes)
        items.append(item)
    write_set(out, items, elements)
    return items


def _new_item(suite: str, game: str, clip_id: str, source: str | None, num_frames: int) -> dict[str, Any]:
    item_id = short(sha256_json([suite, clip_id, source, num_frames]))
    files = {f"{kind}_file": f"{suite}/{item_id}.{kind}.mp4" for kind in ("ui", "clean")}
    files["mask_file"] = f"{suite}/{item_id}.masks.parquet"
    return {
        "item_id": item_id,
        "suite": suite,
        "game": game,
        "clip_id": clip_id,
        "source_sha256": source,
        "num_frames": num_frames,
        "fps": 30.0,
        **files,
    }


def _span(path: Path, start: int, num_frames: int, out: Path) -> None:
    """Frames start ... start + num_frames of a clip, copied packet by packet where they begin on a keyframe."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path)) as container:
        stream = video_stream(container, path)
        plain = (
            not stream.codec_context.has_b_frames
            and stream.codec_context.name == "h264"
            and stream.start_time in (0, None)
        )
    if plain and start in idr_frames(path, [start]):
        copy_spans(path, {start: out}, num_frames)
        return
    with VideoWriter(out, width=1280, height=720, crf=_TRUTH_CRF, preset="ultrafast") as writer:
        for frame in iter_frames(path, start=start, stop=start + num_frames):
            writer.write(frame)
        if writer.num_frames != num_frames:
            raise ValueError(f"{path}: has {writer.num_frames} frames from {start}, the set needs {num_frames}")


def _write_difference_masks(item: Row, out: Path, boxes: Sequence[Row]) -> None:
    """The masks of a twin: the difference of both decoded pictures inside the boxes of every frame."""
    ui, clean, masks = (out / Path(item[name]).name for name in ("ui_file", "clean_file", "mask_file"))
    grouped = boxes_by_frame(boxes)
    with MaskWriter(masks, width=1280, height=720) as writer:
        for index, (source, truth) in enumerate(zip(iter_frames(ui), iter_frames(clean), strict=True)):
            shown = [box for row in grouped.get(index, []) if row["visible"] and (box := clip_box(row)) is not None]
            writer.write(difference_mask(truth, source, shown))


def _annotate(item: dict[str, Any], out: Path, boxes: Sequence[Row]) -> list[dict[str, Any]]:
    """Complete the row of an item whose files are written, and return its element rows.

    Only sampled frames are decoded: whether an element can be judged matters nowhere else.
    """
    times = item_times(item)
    ui, clean, masks = (out / Path(item[name]).name for name in ("ui_file", "clean_file", "mask_file"))
    wanted = [round(t * item["fps"]) for t in times]
    chosen = (mask for index, mask in enumerate(iter_masks(masks)) if index in set(wanted))
    pictures = dict(
        zip(wanted, zip(sampled_frames(ui, times), sampled_frames(clean, times), chosen, strict=True), strict=True)
    )
    rows: list[dict[str, Any]] = []
    for index, own in sorted(boxes_by_frame(boxes).items()):
        if index < item["num_frames"]:
            rows += _element_rows(item, index, own, pictures.get(index))
    item["num_elements"] = len({row["track_id"] for row in rows})
    item["ui_sha256"], item["clean_sha256"] = sha256_file(ui), sha256_file(clean)
    return rows


def _element_rows(
    item: Row,
    index: int,
    boxes: Sequence[Row],
    pictures: tuple[np.ndarray | None, np.ndarray | None, np.ndarray] | None,
) -> list[dict[str, Any]]:
    rows = []
    for row in boxes:
        box = clip_box(row)
        if box is None:
            continue
        reason = "" if row["visible"] else "not_shown"
        if pictures is not None and row["visible"]:
            source, clean, mask = pictures
            if source is None or clean is None:
                raise ValueError(
                    f"{item['suite']}/{item['item_id']}: its videos end before frame {index}, which is judged"
                )
            (element,) = scene_of(source, clean, mask, [row]).elements
            reason = str(hidden_reason(clean, source, element, shown=True))
        rows.append(
            {
                "item_id": item["item_id"],
                "frame_index": index,
                "t_ms": round(index * 1000 / item["fps"]),
                "sampled": pictures is not None,
                "element_id": row["element_id"],
                "track_id": f"{item['item_id']}/{row['element_id']}",
                "cls": row["cls"],
                **dict(zip("xywh", box, strict=True)),
                "visible": not reason,
                "hidden_reason": reason,
            }
        )
    return rows


def contamination(items: Iterable[Row], training: Iterable[Row], clean_clips: Iterable[Row] = ()) -> int:
    """How many clips and games of a benchmark were also trained on; must be 0.

    Args:
        items: rows of the sets.
        training: rows with clip_id and game that training reads (pair recipes of the train split).
        clean_clips: rows with clip_id, game and split; those of the train split count as trained on.
    """
    trained = [*training, *(row for row in clean_clips if row["split"] == "train")]
    rows = list(items)
    seen_clips, seen_games = {row["clip_id"] for row in trained}, {row["game"] for row in trained}
    clips = {row["clip_id"] for row in rows} & seen_clips
    games = {row["game"] for row in rows} & seen_games
    return len(clips) + len(games)
