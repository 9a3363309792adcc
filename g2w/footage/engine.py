"""The embedded game engine, headless: a play as a stream of frames and a log of actions. ViZDoom is imported on use."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from g2w.footage.gauges import Gauges, commands
from g2w.footage.hud import NATIVE, build_hud
from g2w.footage.policy import Action, BalancedPolicy
from g2w.footage.walls import load_walls

KEYS = ("w", "a", "s", "d", "attack", "use", "sprint")
WARM_UP_TICS = 20
"""Tics before frame 0: a player who has just appeared cannot turn for some, and the interface's first values arrive."""

NATIVE_WARM_UP_TICS = 110
"""The native interface shows the console's answer to our commands for three seconds; no player would see that."""

MAX_YAW_ERROR = 0.05
"""Degrees by which a turn may differ from what was asked for; the engine stores angles in 16 bits."""

Log = list[dict[str, Any]]


@dataclass(frozen=True)
class Scene:
    """What is played: the game, its seed, and the interface that is loaded, shown or not."""

    wad: str
    map: str
    seed: int
    num_frames: int
    hud: str = "none"
    show: bool = True


def play(scene: Scene, *, replay: Log | None = None) -> tuple[Iterator[np.ndarray], Log]:
    """Frames of a play, lazily, and the log that fills up while they are drawn.

    With `replay` the logged actions are applied again, row by row: the log of a play that is one frame ahead will do.
    Two plays of a scene that differ only in `show` see the same world.

    Returns:
        Iterator of uint8 RGB (720, 1280, 3); rows of frame_index, keys, mouse_dx, mouse_dy (degrees, + = right and up),
        x, y, z (map units), yaw (degrees, + = left, as the engine counts), pitch (degrees, + = down), valid. Row i + 1 has
        the yaw of row i minus its mouse_dx; `valid` is False where that does not hold: a teleporter holds the player for
        some tics, and a map that was left starts anew with the next frame.
    """
    log: Log = []
    return _frames(scene, replay, log), log


def _frames(scene: Scene, replay: Log | None, log: Log) -> Iterator[np.ndarray]:
    policy = BalancedPolicy(scene.seed, load_walls(_game_file(scene.wad), scene.map))
    with _engine(scene) as game:
        held = _warm_up(game, scene, 0)
        for index in range(scene.num_frames):
            state = game.get_state()
            x, y, z, yaw, pitch = (float(v) for v in state.game_variables)
            if log:
                log[-1]["valid"] &= abs((log[-1]["yaw"] - yaw - log[-1]["mouse_dx"] + 180) % 360 - 180) < MAX_YAW_ERROR
            action = policy.act(x, y, yaw) if replay is None else _replayed(replay[index])
            log.append(
                {
                    "frame_index": index,
                    **{key: key in action.keys for key in KEYS},
                    "mouse_dx": action.mouse_dx,
                    "mouse_dy": action.mouse_dy,
                    "x": x,
                    "y": y,
                    "z": z,
                    "yaw": yaw,
                    "pitch": pitch,
                    "valid": True,
                }
            )
            yield state.screen_buffer
            held = _show(game, scene, held, index + 1, yaw - action.mouse_dx)
            buttons = [float(key in action.keys) for key in KEYS]
            game.make_action([*buttons, action.mouse_dx, action.mouse_dy], 1)
            if game.is_episode_finished():
                log[-1]["valid"] = False
                game.new_episode()
                held = _warm_up(game, scene, index + 1)


def _warm_up(game: Any, scene: Scene, frame: int) -> dict[str, int]:
    game.send_game_command("god")  # a dead player looks at the floor
    held = _show(game, scene, {}, frame, float(game.get_state().game_variables[3]))
    game.advance_action(NATIVE_WARM_UP_TICS if scene.hud == NATIVE else WARM_UP_TICS)
    return held


def _show(game: Any, scene: Scene, held: dict[str, int], frame: int, yaw: float) -> dict[str, int]:
    """Bring the values of our interface to those of a frame; they appear with the next tic."""
    if scene.hud in ("none", NATIVE):
        return held
    target = Gauges(scene.seed).at(frame, yaw)
    for line in commands(held, target):
        game.send_game_command(line)
    return target


def _replayed(row: dict[str, Any]) -> Action:
    return Action(frozenset(key for key in KEYS if row[key]), row["mouse_dx"], row["mouse_dy"])


def _game_file(wad: str) -> Path:
    import vizdoom

    return Path(vizdoom.__file__).parent / f"{wad}.wad"


@contextmanager
def _engine(scene: Scene) -> Iterator[Any]:
    import vizdoom

    hud = None if scene.hud == "none" else build_hud(scene.hud)
    shown = hud is not None and scene.show
    with tempfile.TemporaryDirectory(prefix="g2w-doom-") as folder:
        game = vizdoom.DoomGame()
        # Without a file of its own the engine reads and writes one in the working folder.
        game.set_doom_config_path(str(Path(folder) / "engine.ini"))
        game.set_doom_game_path(str(_game_file(scene.wad)))
        game.set_doom_map(scene.map)
        game.set_screen_resolution(vizdoom.ScreenResolution.RES_1280X720)
        game.set_screen_format(vizdoom.ScreenFormat.RGB24)
        game.set_window_visible(False)
        game.set_sound_enabled(False)
        game.set_mode(vizdoom.Mode.PLAYER)
        game.set_render_hud(shown)
        game.set_render_minimal_hud(shown)
        native = shown and scene.hud == NATIVE
        game.set_render_crosshair(native)
        game.set_render_messages(native)
        game.set_render_weapon(True)
        game.set_available_buttons(_buttons(vizdoom))
        variables = vizdoom.GameVariable
        game.set_available_game_variables(
            [variables.POSITION_X, variables.POSITION_Y, variables.POSITION_Z, variables.ANGLE, variables.PITCH]
        )
        game.set_seed(scene.seed)
        game.set_doom_skill(2)
        game.set_episode_timeout(0)
        if hud is not None and hud.wad is not None:
            # Loaded in the hidden play too: its items take part in the world's random numbers.
            path = Path(folder) / "hud.wad"
            path.write_bytes(hud.wad)
            game.add_game_args(f"-file {path}")
        game.init()
        try:
            yield game
        finally:
            game.close()


def _buttons(vizdoom: Any) -> list[Any]:
    """Buttons in the order of KEYS, then the two axes of the mouse."""
    button = vizdoom.Button
    return [
        button.MOVE_FORWARD,
        button.MOVE_LEFT,
        button.MOVE_BACKWARD,
        button.MOVE_RIGHT,
        button.ATTACK,
        button.USE,
        button.SPEED,
        button.TURN_LEFT_RIGHT_DELTA,
        button.LOOK_UP_DOWN_DELTA,
    ]
