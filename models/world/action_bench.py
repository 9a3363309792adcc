"""Flow-MSE of an action model: true actions against shuffled ones and against a still picture (GameFactory's test)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.world.action import ActionGenerator, load_action
from models.world.clips import Window, load_clip, spread_windows, stack
from models.world.flow import FLOW_BACKEND, SECOND_BACKEND, flow_error, video_flow
from models.world.intervals import bootstrap_mean, bootstrap_ratio
from models.world.preview import strip

WINDOWS_PER_CLIP = 8
SUBSETS = ("all", "keys-only", "mouse-small", "mouse-large")
ARMS = ("true", "shuffled", "still")
_BATCH = 16


def score_actions(
    checkpoint: Path, clips: Mapping[str, Path], *, out: Path, seed: int = 0, per_clip: int = WINDOWS_PER_CLIP
) -> list[dict[str, Any]]:
    """Judge a checkpoint on held-out clips with recorded actions.

    Every window is generated with its own actions and with those of a window of another clip. Writes `windows.parquet` (a row
    per window) and `preview.webp` (real / true / shuffled). Intervals resample whole clips.

    Returns:
        Score rows: score_id, metric, subset, arm, value, lo, hi (None where one clip alone has such windows), n (windows),
        num_clips, unit, backend, status. The second backend's rows carry its name at the end of their id.

    Raises:
        ValueError: if actions cannot be exchanged between clips: fewer than two clips, or one has most windows.
    """
    if len(clips) < 2:
        raise ValueError(f"shuffling needs the actions of another clip; only {len(clips)} clip was given")
    generator = load_action(checkpoint)
    window = generator.config.window
    windows = [
        w for name in sorted(clips) for w in spread_windows(load_clip(name, clips[name], window), window, per_clip)
    ]
    rows, picture = _measure(generator, windows, seed)
    _write(out, rows, picture)
    first = [score for subset in SUBSETS for score in _scores(rows, subset, FLOW_BACKEND, seed)]
    return first + [score for subset in ("all", "mouse-large") for score in _scores(rows, subset, SECOND_BACKEND, seed)]


def _measure(
    generator: ActionGenerator, windows: Sequence[Window], seed: int
) -> tuple[list[dict[str, Any]], np.ndarray]:
    frames, actions = stack(windows)
    other = other_clip([w.clip_id for w in windows])
    true, shuffled = (_generate(generator, frames[:, 0], rows, seed) for rows in (actions, actions[other]))
    rows = []
    for i, w in enumerate(windows):
        row = {"clip_id": w.clip_id, "start_frame": w.start_frame, "subset": w.turning(generator.config.window.stride),
               "shuffled_from": windows[other[i]].clip_id}  # fmt: skip
        for backend in (FLOW_BACKEND, SECOND_BACKEND):
            flow = video_flow(frames[i], backend)
            row[f"{backend}/true"] = flow_error(video_flow(true[i], backend), flow)
            row[f"{backend}/shuffled"] = flow_error(video_flow(shuffled[i], backend), flow)
            row[f"{backend}/still"] = float(np.mean(np.square(flow, dtype=np.float64)))
        rows.append(row)
    shown = np.argsort([-w.yaw_degrees for w in windows], kind="stable")[:4]
    return rows, strip([frames[shown], true[shown], shuffled[shown]])


def _generate(generator: ActionGenerator, first: np.ndarray, actions: np.ndarray, seed: int) -> np.ndarray:
    parts = [
        generator.generate_batch(first[i : i + _BATCH], actions[i : i + _BATCH], seed=seed)
        for i in range(0, len(first), _BATCH)
    ]
    return np.concatenate(parts)


def other_clip(names: Sequence[str]) -> np.ndarray:
    """A permutation that gives every window the actions of a window of another clip.

    Windows in order of clips are moved on by the size of the largest clip: nobody stays at home. Raises ValueError, naming
    it, if one clip has more than half of the windows.
    """
    ids = np.array(names)
    clips, sizes = np.unique(ids, return_counts=True)
    if 2 * sizes.max() > len(ids):
        raise ValueError(
            f"clip {clips[sizes.argmax()]} has {sizes.max()} of {len(ids)} windows: give more clips to shuffle with"
        )
    by_clip = np.argsort(ids, kind="stable")
    order = np.empty(len(ids), np.int64)
    order[by_clip] = np.roll(by_clip, -int(sizes.max()))
    return order


def _scores(rows: Sequence[dict[str, Any]], subset: str, backend: str, seed: int) -> list[dict[str, Any]]:
    own = [row for row in rows if subset in ("all", row["subset"])]
    if not own:
        return []
    groups = [row["clip_id"] for row in own]
    arms = {arm: np.array([row[f"{backend}/{arm}"] for row in own]) for arm in ARMS}
    tail = ("" if subset == "all" else f"_{subset.replace('-', '_')}") + (
        "" if backend == FLOW_BACKEND else f"_{backend}"
    )
    base = {"subset": subset, "n": len(own), "num_clips": len(set(groups)), "backend": backend, "status": "ok"}
    scores: list[dict[str, Any]] = []
    for arm, values in arms.items():
        interval = bootstrap_mean(values, groups=groups, seed=seed)
        scores.append(
            {
                **base,
                "score_id": f"actions/flow_mse_{arm}{tail}",
                "metric": "flow_mse",
                "arm": arm,
                "unit": "px^2",
                **_numbers(values.mean(), interval),
            }
        )
    for arm in ("shuffled", "still"):
        gain = arms[arm] - arms["true"]
        interval = bootstrap_ratio(gain, arms[arm], groups=groups, seed=seed)
        scores.append(
            {
                **base,
                "score_id": f"actions/flow_mse_cut_vs_{arm}{tail}",
                "metric": "flow_mse_cut",
                "arm": arm,
                "unit": "share",
                **_numbers(gain.mean() / max(arms[arm].mean(), 1e-12), interval),
            }
        )
    return scores


def _numbers(value: float, interval: tuple[float, float]) -> dict[str, float | None]:
    numbers = {"value": value, "lo": interval[0], "hi": interval[1]}
    return {name: round(float(number), 6) if np.isfinite(number) else None for name, number in numbers.items()}


def _write(out: Path, rows: Sequence[dict[str, Any]], picture: np.ndarray) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from g2w.video.sheet import save_webp

    pq.write_table(pa.Table.from_pylist(list(rows)), Path(out) / "windows.parquet", compression="zstd")
    save_webp(Path(out) / "preview.webp", picture)
