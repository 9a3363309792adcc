"""Clips with their actions, decoded once at low size; windows are a pure function of (seed, step)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow.parquet as pq

from g2w.video.read import read_frames
from models.training.optim import step_rng
from models.training.state import fingerprint
from models.world.config import KEYS, MOUSE, WindowConfig, WorldConfig

Turning = Literal["keys-only", "mouse-small", "mouse-large"]

LARGE_DEGREES = 2.0
"""Mean absolute yaw per video frame from which a window counts as mouse-large."""
YAW_TOLERANCE_DEGREES = 0.5
_MAX_BYTES = 700 * 2**20
_MIRRORED_KEYS = [KEYS.index("d") if key == "a" else KEYS.index("a") if key == "d" else i for i, key in enumerate(KEYS)]


@dataclass(frozen=True)
class ActionClip:
    """`frames` (T, h, w, 3) uint8 at low size; `actions` (T, keys + mouse) float32, columns KEYS + MOUSE, mouse in degrees;
    `valid` (T,): the row is known and agrees with the pose."""

    clip_id: str
    frames: np.ndarray
    actions: np.ndarray
    valid: np.ndarray


@dataclass(frozen=True)
class Window:
    """`frames` (T, h, w, 3) uint8 and `actions` (T - 1, keys + mouse): keys held at any time between two frames, turns summed."""

    clip_id: str
    start_frame: int
    frames: np.ndarray
    actions: np.ndarray

    def mirrored(self) -> Window:
        """The same play seen in a mirror: left and right change places in the picture, the keys and the yaw."""
        actions = self.actions.copy()
        actions[:, : len(KEYS)] = self.actions[:, _MIRRORED_KEYS]
        actions[:, len(KEYS)] *= -1.0
        return Window(self.clip_id, self.start_frame, np.ascontiguousarray(self.frames[:, :, ::-1]), actions)

    @property
    def yaw_degrees(self) -> float:
        """Mean absolute yaw per step, degrees."""
        return float(np.abs(self.actions[:, len(KEYS)]).mean())

    def turning(self, stride: int = 1) -> Turning:
        """Test subset of GameFactory that this window belongs to."""
        per_frame = self.yaw_degrees / stride
        return "keys-only" if per_frame == 0.0 else "mouse-large" if per_frame >= LARGE_DEGREES else "mouse-small"


def actions_path(clip: Path) -> Path:
    """Where the action table of a clip lies: `<stem>.actions.parquet` beside it."""
    return clip.with_name(f"{clip.stem}.actions.parquet")


def read_actions(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Action rows (N, keys + mouse) float32 and validity (N,) of an action table.

    A row whose yaw does not arrive in the pose of the next frame (spawn freeze, teleport, lag) is invalid: the picture did
    not do what the row says. Raises FileNotFoundError or ValueError naming the file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no action table {path}: an action model trains on clips that have one")
    table = pq.read_table(path)
    missing = [name for name in (*KEYS, *MOUSE, "valid") if name not in table.column_names]
    if missing:
        raise ValueError(f"{path} lacks the columns {missing}: it needs {[*KEYS, *MOUSE, 'valid']}")
    columns = [table[name].to_numpy(zero_copy_only=False).astype(np.float32) for name in (*KEYS, *MOUSE)]
    valid = table["valid"].to_numpy(zero_copy_only=False).astype(bool)
    if "yaw" in table.column_names and len(valid) > 1:
        yaw = table["yaw"].to_numpy(zero_copy_only=False).astype(np.float64)
        turned = -((np.diff(yaw) + 180.0) % 360.0 - 180.0)  # the engine's angle grows to the left
        valid[:-1] &= np.abs(turned - columns[len(KEYS)][:-1]) <= YAW_TOLERANCE_DEGREES
    return np.stack(columns, axis=1), valid


class ActionClips:
    """Windows of clips with actions. `clips`: clip_id -> path, or a ready `ActionClip` at the configured size.

    Raises ValueError if no clip has one valid window, or they take too much memory.
    """

    def __init__(self, clips: Mapping[str, Path | ActionClip], config: WorldConfig, *, threads: int = 1) -> None:
        self._config, self._window = config, config.window
        loaded = [load_clip(name, clip, self._window, threads) for name, clip in sorted(clips.items())]
        size = sum(clip.frames.nbytes for clip in loaded)
        if size > _MAX_BYTES:
            raise ValueError(
                f"{len(loaded)} clips take {size / 2**20:.0f} MB at low size, the limit is {_MAX_BYTES / 2**20:.0f} MB"
            )
        self.clips = loaded
        self._starts = [
            (index, start) for index, clip in enumerate(loaded) for start in valid_starts(clip, self._window)
        ]
        if not self._starts:
            raise ValueError(f"none of {len(loaded)} clips has {self._window.span} frames in a row with valid actions")
        turns = np.array([_turn(loaded[index], start, self._window) for index, start in self._starts])
        self._turning = np.flatnonzero(turns >= np.median(turns))
        digest = [
            (clip.clip_id, fingerprint(clip.actions.tolist()), int(clip.frames.sum(dtype=np.int64))) for clip in loaded
        ]
        self._fingerprint = fingerprint(digest, self._window, config.flip_share, config.turn_share)

    @property
    def fingerprint(self) -> str:
        """Hash of clips, actions and everything that shapes the draws."""
        return self._fingerprint

    def sample(self, seed: int, step: int, batch: int) -> list[Window]:
        """`batch` windows for one step; equal arguments give equal windows."""
        rng = step_rng(seed, step, "windows")
        return [self._draw(rng) for _ in range(batch)]

    def _draw(self, rng: np.random.Generator) -> Window:
        turning = rng.random() < self._config.turn_share
        number = int(rng.choice(self._turning)) if turning else int(rng.integers(len(self._starts)))
        index, start = self._starts[number]
        window = cut_window(self.clips[index], start, self._window)
        return window.mirrored() if rng.random() < self._config.flip_share else window


def load_clip(clip_id: str, clip: Path | ActionClip, window: WindowConfig, threads: int = 1) -> ActionClip:
    """Decode a clip at the window's size and read its actions; frames without a row are invalid."""
    if isinstance(clip, ActionClip):
        found = clip
    else:
        frames = read_frames(clip, size=(window.width, window.height), threads=threads)
        rows, known = read_actions(actions_path(Path(clip)))
        count = min(len(frames), len(rows))
        actions, valid = np.zeros((len(frames), rows.shape[1]), np.float32), np.zeros(len(frames), bool)
        actions[:count], valid[:count] = rows[:count], known[:count]
        found = ActionClip(clip_id, frames, actions, valid)
    if found.frames.shape[1:] != (window.height, window.width, 3) or found.frames.dtype != np.uint8:
        raise ValueError(
            f"clip {clip_id}: expected uint8 frames of {window.width}x{window.height}, got {found.frames.dtype} {found.frames.shape}"
        )
    return found


def valid_starts(clip: ActionClip, window: WindowConfig) -> list[int]:
    """First frames of the windows whose actions are all valid."""
    span = window.span
    return [start for start in range(len(clip.frames) - span + 1) if clip.valid[start : start + span - 1].all()]


def cut_window(clip: ActionClip, start: int, window: WindowConfig) -> Window:
    """The window of a clip that starts at frame `start`."""
    rows = clip.actions[start : start + window.span - 1].reshape(window.num_frames - 1, window.stride, -1)
    actions = np.concatenate([rows[..., : len(KEYS)].max(axis=1), rows[..., len(KEYS) :].sum(axis=1)], axis=-1)
    return Window(
        clip.clip_id, start, clip.frames[start : start + window.span : window.stride], actions.astype(np.float32)
    )


def spread_windows(clip: ActionClip, window: WindowConfig, count: int) -> list[Window]:
    """Up to `count` windows of a clip, evenly spread over its valid starts."""
    starts = valid_starts(clip, window)
    chosen = sorted({starts[round(i * (len(starts) - 1) / max(1, count - 1))] for i in range(count)}) if starts else []
    return [cut_window(clip, start, window) for start in chosen]


def stack(windows: Sequence[Window]) -> tuple[np.ndarray, np.ndarray]:
    """Frames (B, T, h, w, 3) uint8 and actions (B, T - 1, keys + mouse) float32 of windows."""
    return np.stack([w.frames for w in windows]), np.stack([w.actions for w in windows])


def action_semantics(config: WorldConfig, fps: float = 30.0) -> dict[str, Any]:
    """Content of `actions.json`: what each input number means, so that a player of the checkpoint need not read code."""
    ratio, window = config.actions.ratio, config.actions.window
    return {
        "keyboard": {str(index): key for index, key in enumerate(KEYS)},
        "keyboard_values": "1 = held at any time between two frames, 0 = not",
        "mouse": {str(index): name for index, name in enumerate(MOUSE)},
        "mouse_units": "degrees turned between two frames; dx + = right, dy + = up",
        "mouse_input_divided_by": config.actions.mouse_unit_degrees,
        "rows": "row i is the action between frames i and i + 1; T frames need T - 1 rows",
        "frame_stride": config.window.stride,
        "frames_per_second": fps / config.window.stride,
        "group": f"latent frame j reads rows {ratio}j-{ratio * window} ... {ratio}j-1; row 0 is repeated before the start",
        "repetition": "each row acts once; to hold a key for n frames repeat its row n times",
    }


def _turn(clip: ActionClip, start: int, window: WindowConfig) -> float:
    return float(np.abs(clip.actions[start : start + window.span - 1, len(KEYS)]).sum())
