"""Flow-MSE of an action model: true actions against shuffled ones and against a still picture (GameFactory's test)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.world.action import ActionGenerator, load_action
from models.world.clips import Window, load_clip, spread_windows, stack
from models.world.flow import FLOW_BACKEND, flow_error, video_flow
from models.world.intervals import bootstrap_mean, bootstrap_ratio
from models.world.preview import strip

WINDOWS_PER_CLIP = 8
SUBSETS = ("all", "keys-only", "mouse-small", "mouse-large")
_BATCH = 16
_MAX_SHUFFLES = 1000


def score_actions(
    checkpoint: Path, clips: Mapping[str, Path], *, out: Path, seed: int = 0, per_clip: int = WINDOWS_PER_CLIP
) -> list[dict[str, Any]]:
    """Judge a checkpoint on held-out clips with recorded actions.

    Every window is generated with its own actions and with those of a window of another clip. Writes `windows.parquet` (a row
    per window) and `strip.webp` (real / true / shuffled).

    Returns:
        Score rows: score_id, metric, subset, arm, value, lo, hi, n, unit, backend, status.

    Raises:
        ValueError: for fewer than two clips, because actions are shuffled between clips.
    """
    if len(clips) < 2:
        raise ValueError(f"shuffling needs the actions of another clip; only {len(clips)} clip was given")
    generator = load_action(checkpoint)
    window = generator.config.window
    windows = [w for name in sorted(clips) for w in spread_windows(load_clip(name, clips[name], window), window, per_clip)]
    rows, picture = _measure(generator, windows, seed)
    _write(out, rows, picture)
    return [score for subset in SUBSETS for score in _scores(rows, subset, seed)]


def _measure(generator: ActionGenerator, windows: Sequence[Window], seed: int) -> tuple[list[dict[str, Any]], np.ndarray]:
    frames, actions = stack(windows)
    other = _other_clip([w.clip_id for w in windows], seed)
    true, shuffled = (_generate(generator, frames[:, 0], rows, seed) for rows in (actions, actions[other]))
    rows = []
    for i, w in enumerate(windows):
        flow = video_flow(frames[i])
        rows.append({
            "clip_id": w.clip_id, "start_frame": w.start_frame, "subset": w.turning(generator.config.window.stride),
            "true": flow_error(video_flow(true[i]), flow), "shuffled": flow_error(video_flow(shuffled[i]), flow),
            "still": float(np.mean(np.square(flow, dtype=np.float64))),
        })  # fmt: skip
    shown = np.argsort([-w.yaw_degrees for w in windows], kind="stable")[:4]
    return rows, strip([frames[shown], true[shown], shuffled[shown]])


def _generate(generator: ActionGenerator, first: np.ndarray, actions: np.ndarray, seed: int) -> np.ndarray:
    parts = [generator.generate_batch(first[i : i + _BATCH], actions[i : i + _BATCH], seed=seed) for i in range(0, len(first), _BATCH)]
    return np.concatenate(parts)


def _other_clip(names: Sequence[str], seed: int) -> np.ndarray:
    """A permutation that gives every window the actions of another clip, as far as the clips' sizes allow it."""
    ids, best = np.array(names), None
    rng = np.random.default_rng(seed)
    for _ in range(_MAX_SHUFFLES):
        order = rng.permutation(len(ids))
        same = int((ids[order] == ids).sum())
        if best is None or same < best[0]:
            best = (same, order)
        if same == 0:
            break
    if best is None:
        raise ValueError("no windows to shuffle")
    return best[1]


def _scores(rows: Sequence[dict[str, Any]], subset: str, seed: int) -> list[dict[str, Any]]:
    own = [row for row in rows if subset in ("all", row["subset"])]
    if len(own) < 2:
        return []
    arms = {arm: np.array([row[arm] for row in own]) for arm in ("true", "shuffled", "still")}
    tail = "" if subset == "all" else f"_{subset.replace('-', '_')}"
    base = {"subset": subset, "n": len(own), "backend": FLOW_BACKEND, "status": "ok"}
    scores: list[dict[str, Any]] = []
    for arm, values in arms.items():
        low, high = bootstrap_mean(values, seed=seed)
        scores.append({**base, "score_id": f"actions/flow_mse_{arm}{tail}", "metric": "flow_mse", "arm": arm, "unit": "px^2",
                       "value": float(values.mean()), "lo": low, "hi": high})
    for arm in ("shuffled", "still"):
        low, high = bootstrap_ratio(arms[arm] - arms["true"], arms[arm], seed=seed)
        cut = float((arms[arm] - arms["true"]).mean() / max(arms[arm].mean(), 1e-12))
        scores.append({**base, "score_id": f"actions/flow_mse_cut_vs_{arm}{tail}", "metric": "flow_mse_cut", "arm": arm,
                       "unit": "share", "value": cut, "lo": low, "hi": high})
    return [{**score, **{name: round(score[name], 6) for name in ("value", "lo", "hi")}} for score in scores]


def _write(out: Path, rows: Sequence[dict[str, Any]], picture: np.ndarray) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from g2w.video.sheet import save_webp

    pq.write_table(pa.Table.from_pylist(list(rows)), Path(out) / "windows.parquet", compression="zstd")
    save_webp(Path(out) / "preview.webp", picture)
