"""One episode of the embedded game: rendered, encoded while it plays, with its action log and, for twins, the truth."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from g2w.footage.hud import HEIGHT, NATIVE, STYLES, WIDTH, Element, Hud, build_hud
from g2w.footage.policy import Action, BalancedPolicy
from g2w.lineage.canonical import sha256_json, short
from g2w.lineage.lake import write_json

RECIPE_VERSION = "1"
KEYS = ("w", "a", "s", "d", "attack", "use", "sprint")
SPLITS = {"freedoom2": "train", "freedoom1": "bench"}
LICENCE = "Freedoom (BSD-3-Clause) rendered by ViZDoom (MIT)"
WARM_UP_TICS = 20
"""The engine ignores the first tics of a level: recording starts when actions take effect."""
MIN_DIFFERENCE = 2
"""Grey levels by which a raw pixel must differ from its twin to belong to an element."""

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


class TwinError(RuntimeError):
    """Two renderings of one episode differ where they must not."""


@dataclass(frozen=True)
class EpisodeConfig:
    """What decides the bytes of an episode.

    Attributes:
        wad: freedoom2 (training) or freedoom1 (benchmark).
        map: such as MAP01 or E1M1.
        seed: of the engine and of the policy.
        num_frames: one engine tic per frame, shown at 30 frames a second (the engine runs at 35).
        hud: a style of `g2w.footage.hud.STYLES`, or none.
        twin: also write the same episode without interface, and the boxes of every element.
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
        return short(sha256_json({"wad": self.wad, "map": self.map, "seed": self.seed, "num_frames": self.num_frames}))

    @property
    def name(self) -> str:
        """File stem, unique per recipe."""
        recipe = short(sha256_json({"version": RECIPE_VERSION, **asdict(self)}))
        return f"{self.wad}-{self.map.lower()}-{self.hud}-{recipe}"


def render_episode(config: EpisodeConfig, inbox: Path) -> list[dict[str, str]]:
    """Render an episode into `inbox`: one file set, or two for a twin (`<name>` with the HUD, `<name>-clean` without).

    A file set is `.mp4`, `.actions.parquet`, `.source.json` and, with the HUD of a twin, `.elements.parquet`. The side
    files are written last; an episode whose last one lies there is complete and is not rendered again.

    Returns:
        One {"name", "split", "hud"} per video.
    """
    rows = [{"name": config.name, "split": SPLITS[config.wad], "hud": config.hud}]
    if config.twin:
        rows.append({"name": f"{config.name}-clean", "split": SPLITS[config.wad], "hud": "none"})
    if all((inbox / f"{row['name']}.source.json").exists() for row in rows):
        return rows
    inbox.mkdir(parents=True, exist_ok=True)
    if config.twin:
        _render_twin(config, inbox)
    else:
        frames, log = _play(config, config.hud)
        _write_video(inbox / f"{config.name}.mp4", frames, config)
        _write_side_files(config, inbox, config.name, config.hud, None, log)
    return rows


def _render_twin(config: EpisodeConfig, inbox: Path) -> None:
    from g2w.video.write import VideoWriter

    shown, log = _play(config, config.hud)
    hidden, hidden_log = _play(config, "none", replay=log)
    elements, boxes = build_hud(config.hud).elements, []
    size = {"width": WIDTH, "height": HEIGHT, "crf": config.crf, "preset": "ultrafast"}
    with VideoWriter(inbox / f"{config.name}.mp4", **size) as ui, VideoWriter(inbox / f"{config.name}-clean.mp4", **size) as clean:
        for index, (a, b) in enumerate(zip(shown, hidden, strict=True)):
            boxes += element_boxes(index, a, b, elements)
            ui.write(a)
            clean.write(b)
    pq.write_table(pa.Table.from_pylist(boxes, ELEMENT_SCHEMA), inbox / f"{config.name}.elements.parquet")
    _write_side_files(config, inbox, f"{config.name}-clean", "none", None, hidden_log)
    _write_side_files(config, inbox, config.name, config.hud, f"{config.name}-clean", log)


def element_boxes(index: int, shown: np.ndarray, hidden: np.ndarray, elements: tuple[Element, ...]) -> list[dict[str, Any]]:
    """Tight boxes of what each element changed in one frame.

    Raises:
        TwinError: if a pixel outside every zone differs, because then the two are not twins.
    """
    changed = np.abs(shown.astype(np.int16) - hidden.astype(np.int16)).max(axis=2) > MIN_DIFFERENCE
    rows, outside = [], changed.copy()
    for element in elements:
        x, y, w, h = element.zone
        part = changed[y : y + h, x : x + w]
        outside[y : y + h, x : x + w] = False
        found = np.nonzero(part)
        visible = len(found[0]) > 0
        box = (x, y, 0, 0)
        if visible:
            top, left = int(found[0].min()), int(found[1].min())
            box = (x + left, y + top, int(found[1].max()) - left + 1, int(found[0].max()) - top + 1)
        rows.append({"frame_index": index, "element_id": element.element_id, "cls": element.cls,
                     **dict(zip("xywh", box, strict=True)), "visible": visible})
    if outside.any():
        where = np.argwhere(outside)[0]
        raise TwinError(f"frame {index}: {int(outside.sum())} pixels differ outside the HUD, first at x {where[1]}, y {where[0]}")
    return rows


def _write_video(path: Path, frames: Iterator[np.ndarray], config: EpisodeConfig) -> None:
    from g2w.video.write import write_video

    write_video(path, frames, crf=config.crf, preset="ultrafast")


def _write_side_files(
    config: EpisodeConfig, inbox: Path, name: str, hud: str, twin: str | None, log: list[dict[str, Any]]
) -> None:
    pq.write_table(pa.Table.from_pylist(log, ACTION_SCHEMA), inbox / f"{name}.actions.parquet")
    card = {
        "source": "vizdoom", "game": f"{config.wad}/{config.map}", "genre": "fps", "wad": config.wad, "map": config.map,
        "seed": config.seed, "episode": config.episode, "hud": hud, "split": SPLITS[config.wad], "twin": twin,
        "licence": LICENCE, "recipe": {"version": RECIPE_VERSION, **asdict(config)},
    }
    temporary = inbox / f".{name}.source.json"
    write_json(temporary, card)
    os.replace(temporary, inbox / f"{name}.source.json")


def _play(
    config: EpisodeConfig, hud: str, *, replay: list[dict[str, Any]] | None = None
) -> tuple[Iterator[np.ndarray], list[dict[str, Any]]]:
    """Frames of a play, lazily, and the log that fills up while they are drawn.

    With `replay` the logged actions are applied again, row by row, as the policy wrote them.
    """
    log: list[dict[str, Any]] = []

    def frames() -> Iterator[np.ndarray]:
        policy = BalancedPolicy(config.seed)
        with _engine(config, None if hud == "none" else build_hud(hud)) as game:
            for index in range(config.num_frames):
                state = game.get_state()
                if state is None:  # the map was left through its exit
                    return
                x, y, z, yaw, pitch = (float(v) for v in state.game_variables[:5])
                action = _replayed(replay[index]) if replay is not None else policy.act(x, y)
                log.append({"frame_index": index, **{key: key in action.keys for key in KEYS}, "mouse_dx": action.mouse_dx,
                            "mouse_dy": action.mouse_dy, "x": x, "y": y, "z": z, "yaw": yaw, "pitch": pitch, "valid": True})
                yield state.screen_buffer
                buttons = [float(key in action.keys) for key in KEYS]
                game.make_action([*buttons, action.mouse_dx, action.mouse_dy], 1)

    return frames(), log


def _replayed(row: dict[str, Any]) -> Action:
    return Action(frozenset(key for key in KEYS if row[key]), row["mouse_dx"], row["mouse_dy"])


@contextmanager
def _engine(config: EpisodeConfig, hud: Hud | None) -> Iterator[Any]:
    import vizdoom

    with tempfile.TemporaryDirectory(prefix="g2w-doom-") as folder:
        game = vizdoom.DoomGame()
        game.set_doom_config_path(str(Path(folder) / "engine.ini"))
        game.set_doom_game_path(str(Path(vizdoom.__file__).parent / f"{config.wad}.wad"))
        game.set_doom_map(config.map)
        game.set_screen_resolution(vizdoom.ScreenResolution.RES_1280X720)
        game.set_screen_format(vizdoom.ScreenFormat.RGB24)
        game.set_window_visible(False)
        game.set_sound_enabled(False)
        game.set_mode(vizdoom.Mode.PLAYER)
        game.set_render_hud(hud is not None)
        game.set_render_minimal_hud(hud is not None)
        native = hud is not None and hud.style == NATIVE
        game.set_render_crosshair(native)
        game.set_render_messages(native)
        game.set_render_weapon(True)
        game.set_available_buttons(_buttons(vizdoom))
        variables = vizdoom.GameVariable
        game.set_available_game_variables(
            [variables.POSITION_X, variables.POSITION_Y, variables.POSITION_Z, variables.ANGLE, variables.PITCH]
        )
        game.set_seed(config.seed)
        game.set_doom_skill(2)
        game.set_episode_timeout(0)
        if hud is not None and hud.wad is not None:
            path = Path(folder) / "hud.wad"
            path.write_bytes(hud.wad)
            game.add_game_args(f"-file {path}")
        game.init()
        try:
            game.send_game_command("god")  # a dead player looks at the floor
            game.make_action([0.0] * (len(KEYS) + 2), WARM_UP_TICS)
            yield game
        finally:
            game.close()


def _buttons(vizdoom: Any) -> list[Any]:
    """Buttons in the order of KEYS, then the two axes of the mouse."""
    button = vizdoom.Button
    return [button.MOVE_FORWARD, button.MOVE_LEFT, button.MOVE_BACKWARD, button.MOVE_RIGHT, button.ATTACK, button.USE,
            button.SPEED, button.TURN_LEFT_RIGHT_DELTA, button.LOOK_UP_DOWN_DELTA]
