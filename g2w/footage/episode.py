"""One episode of the embedded game: rendered, encoded while it plays, with its action log and its interface's truth."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from g2w.footage.engine import KEYS, Log, Scene, play
from g2w.footage.hud import STYLES, build_hud
from g2w.footage.truth import TwinError, element_boxes, verify_twin
from g2w.footage.widgets import HEIGHT, WIDTH, Element
from g2w.lineage.canonical import sha256_json, short
from g2w.lineage.lake import write_json

__all__ = ["Element", "EpisodeConfig", "TwinError", "element_boxes", "render_episode", "verify_twin"]

RECIPE_VERSION = "4"
"""Rises whenever the policy, the drawings or the layouts change: the same recipe must mean the same bytes."""

SPLITS = {"freedoom2": "train", "freedoom1": "bench"}
LICENCE = "Freedoom (BSD-3-Clause) rendered by ViZDoom (MIT)"
ACTION_SCHEMA = pa.schema(
    [("frame_index", pa.int32())]
    + [(key, pa.bool_()) for key in KEYS]
    + [(name, pa.float32()) for name in ("mouse_dx", "mouse_dy", "x", "y", "z", "yaw", "pitch")]
    + [("valid", pa.bool_())]
)
ELEMENT_SCHEMA = pa.schema(
    [("frame_index", pa.int32()), ("element_id", pa.string()), ("cls", pa.string())]
    + [(name, pa.int32()) for name in ("x", "y", "w", "h")]
    + [("visible", pa.bool_())]
)


@dataclass(frozen=True)
class EpisodeConfig:
    """What decides the bytes of an episode.

    Attributes:
        wad: freedoom2 (training) or freedoom1 (benchmark).
        map: such as MAP01 or E1M1.
        seed: of the engine, the policy and the values the interface shows.
        num_frames: one engine tic per frame, shown at 30 frames a second (the engine itself runs at 35).
        hud: a style of `g2w.footage.hud.STYLES`, or none.
        twin: also publish the same episode without interface.
        crf: x264's quality.
    """

    wad: str
    map: str
    seed: int
    num_frames: int
    hud: str = "none"
    twin: bool = False
    crf: int = 18

    def __post_init__(self) -> None:
        if self.wad not in SPLITS:
            raise ValueError(f"wad must be one of {', '.join(SPLITS)}, got {self.wad!r}")
        if self.hud != "none" and self.hud not in STYLES:
            raise ValueError(f"hud must be none or one of {', '.join(STYLES)}, got {self.hud!r}")
        if self.hud != "none" and (self.hud[0] == "b") != (SPLITS[self.wad] == "bench"):
            raise ValueError(f"HUD style {self.hud} may not appear in {self.wad}: style sets never cross the split")
        if self.twin and self.hud == "none":
            raise ValueError("a twin needs a HUD style: the other half is the rendering without one")
        if self.num_frames < 1:
            raise ValueError(f"num_frames must be at least 1, got {self.num_frames}")

    @property
    def episode(self) -> str:
        """Id shared by all renderings of the same play."""
        play_of = {"wad": self.wad, "map": self.map, "seed": self.seed, "num_frames": self.num_frames, "hud": self.hud}
        return short(sha256_json({"version": RECIPE_VERSION, **play_of}))

    @property
    def name(self) -> str:
        """File stem, unique per recipe."""
        recipe = short(sha256_json({"version": RECIPE_VERSION, **asdict(self)}))
        return f"{self.wad}-{self.map.lower()}-{self.hud}-{recipe}"


def render_episode(config: EpisodeConfig, inbox: Path) -> list[dict[str, str]]:
    """Render an episode into `inbox`: one file set, or two for a twin (`<name>` with the HUD, `<name>-clean` without).

    A file set is `.mp4`, `.actions.parquet`, `.source.json` and, where there is a HUD, `.elements.parquet`: the true
    boxes, from a second rendering without it. Every file is published whole; the card comes last, and an episode whose
    cards lie there is complete and is not rendered again.

    Returns:
        One {"name", "split", "hud"} per video.

    Raises:
        TwinError: if the engine did not repeat the episode exactly.
    """
    rows = [{"name": config.name, "split": SPLITS[config.wad], "hud": config.hud}]
    if config.twin:
        rows.append({"name": f"{config.name}-clean", "split": SPLITS[config.wad], "hud": "none"})
    if all((inbox / f"{row['name']}.source.json").exists() for row in rows):
        return rows
    inbox.mkdir(parents=True, exist_ok=True)
    log, boxes = _render(config, inbox)
    if config.hud != "none":
        _write_table(inbox / f"{config.name}.elements.parquet", boxes, ELEMENT_SCHEMA)
    for row in reversed(rows):
        _write_side_files(config, inbox, row, rows, log)
    return rows


def _render(config: EpisodeConfig, inbox: Path) -> tuple[Log, list[dict[str, Any]]]:
    """Play and encode; with a HUD a second engine repeats the actions frame by frame without showing it."""
    from g2w.video.write import VideoWriter

    scene = Scene(config.wad, config.map, config.seed, config.num_frames, config.hud)
    size: dict[str, Any] = {"width": WIDTH, "height": HEIGHT, "crf": config.crf, "preset": "ultrafast"}
    shown, log = play(scene)
    boxes: list[dict[str, Any]] = []
    with ExitStack() as files:
        ui = files.enter_context(VideoWriter(inbox / f"{config.name}.mp4", **size))
        if config.hud == "none":
            for frame in shown:
                ui.write(frame)
            return log, boxes
        clean = files.enter_context(VideoWriter(inbox / f"{config.name}-clean.mp4", **size)) if config.twin else None
        hidden, _ = play(Scene(**{**asdict(scene), "show": False}), replay=log)
        elements = build_hud(config.hud).elements
        for index, (a, b) in enumerate(zip(shown, hidden, strict=True)):
            boxes += element_boxes(index, a, b, elements)
            ui.write(a)
            if clean is not None:
                clean.write(b)
    return log, boxes


def _write_side_files(
    config: EpisodeConfig, inbox: Path, row: dict[str, str], rows: list[dict[str, str]], log: Log
) -> None:
    """Action rows and, last, the card of one video."""
    _write_table(inbox / f"{row['name']}.actions.parquet", log, ACTION_SCHEMA)
    twin = rows[1]["name"] if len(rows) > 1 and row is rows[0] else None
    card = {
        "source": "vizdoom",
        "game": f"{config.wad}/{config.map}",
        "genre": "fps",
        "wad": config.wad,
        "map": config.map,
        "seed": config.seed,
        "episode": config.episode,
        "hud": row["hud"],
        "split": row["split"],
        "twin": twin,
        "licence": LICENCE,
        "recipe": {"version": RECIPE_VERSION, **asdict(config)},
    }
    temporary = inbox / f".{row['name']}.{os.getpid()}.source.json"
    write_json(temporary, card)
    os.replace(temporary, inbox / f"{row['name']}.source.json")


def _write_table(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    pq.write_table(pa.Table.from_pylist(rows, schema), temporary)
    os.replace(temporary, path)
