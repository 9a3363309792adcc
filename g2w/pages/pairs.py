"""The pages of rendered pairs: a gallery, and a player for each pair with its UI, clean and mask side in step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from g2w.pages.look import element_facts, look_facts
from g2w.pages.media import place_mask, place_video, poster_strip
from g2w.pages.site import copy_assets, write_page
from g2w.pages.tracks import box_tracks
from g2w.synth.layout import HEIGHT, WIDTH

INDEX = "index.html"
FPS = 30
_STRIP_FRAMES = 6
_STRIP_SIZE = (480, 270)
Row = dict[str, Any]


@dataclass(frozen=True)
class PairSource:
    """A rendered pair: its row, its recipe, and where its files and the clip of its clean side lie."""

    row: Row
    recipe: Row
    ui: Path
    masks: Path
    boxes: Path
    clean: Path


def write_pair_pages(
    out_dir: str | Path, pairs: Sequence[PairSource], *, snapshot: str, total: int, refused: Iterable[Row] = ()
) -> Path:
    """Write the gallery and one page for each pair; the same inputs give the same pages.

    Args:
        out_dir: folder to write to; files of the same name are replaced.
        pairs: what is shown.
        snapshot: name of the snapshot that the pairs come from.
        total: rendered pairs of the snapshot, of which `pairs` may be a choice.
        refused: rows of pairs that were not rendered, with their reason.

    Returns:
        The path of the gallery.
    """
    out = Path(out_dir)
    copy_assets(out, "pages.css", "pairs.css", "gallery.js", "player.js")
    cards = [_write_pair(out, pairs, index, snapshot) for index in range(len(pairs))]
    facets = {
        name: sorted({value for card in cards for value in _values(card[name])})
        for name in ("split", "game", "classes", "kind")
    }
    context = {"cards": cards, "facets": facets, "snapshot": snapshot, "total": total, "refused": list(refused)}
    write_page(out / INDEX, "gallery.html.j2", context)
    return out / INDEX


def choose_evenly(rows: Sequence[Row], limit: int) -> list[Row]:
    """At most `limit` rows, spread evenly, so that training and benchmark pairs are both seen."""
    if len(rows) <= limit:
        return list(rows)
    return [rows[(2 * k + 1) * len(rows) // (2 * limit)] for k in range(limit)]


def _values(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _write_pair(out: Path, pairs: Sequence[PairSource], index: int, snapshot: str) -> Row:
    pair = pairs[index]
    name, num_frames = _file_stem(pair), int(pair.row["num_frames"])
    media = {side: f"media/{name}.{side}.mp4" for side in ("ui", "mask")}
    media["clean"] = f"media/clip-{_safe(pair.row['clip_id'])}.mp4"
    exact = {
        "ui": place_video(pair.ui, out / media["ui"]),
        "clean": place_video(pair.clean, out / media["clean"]),
        "mask": False,
    }
    place_mask(pair.masks, out / media["mask"])
    strip = f"media/{name}.strip.webp"
    shown = poster_strip(pair.ui, out / strip, num_frames=num_frames, count=_STRIP_FRAMES, size=_STRIP_SIZE)
    tracks = box_tracks(pq.read_table(pair.boxes).to_pylist())
    card = {
        **{key: pair.row[key] for key in ("pair_id", "clip_id", "game", "split", "num_elements", "mask_share")},
        "kind": "control" if pair.row["is_control"] else "with interface",
        "classes": sorted({track["cls"] for track in tracks}),
        "seconds": num_frames / FPS,
        "page": f"{name}.html",
        "strip": strip,
        "num_shown": len(shown),
    }
    player = {
        "media": media,
        "fps": FPS,
        "num_frames": num_frames,
        "start_frame": int(pair.row["start_frame"]),
        "size": [WIDTH, HEIGHT],
        "tracks": tracks,
    }
    context = {
        "card": card,
        "player": player,
        "exact": exact,
        "row": pair.row,
        "look": look_facts(pair.recipe),
        "seed": pair.recipe["seed"],
        "elements": element_facts(pair.recipe, FPS),
        "snapshot": snapshot,
        "before": f"{_file_stem(pairs[index - 1])}.html" if index else "",
        "after": f"{_file_stem(pairs[index + 1])}.html" if index + 1 < len(pairs) else "",
    }
    write_page(out / card["page"], "pair.html.j2", context)
    return card


def _file_stem(pair: PairSource) -> str:
    return f"pair-{_safe(pair.row['pair_id'])}"


def _safe(name: object) -> str:
    """Ids are hashes; one that is not must not lead out of the folder."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in str(name))
