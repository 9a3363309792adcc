"""The action-conditioned world model: training, checkpoint, generation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from models.cleaner.codec import PatchPCA
from models.training.checkpoint import load_checkpoint, load_strict, own_tensors, save_checkpoint
from models.training.loop import fixed_threads, run_loop
from models.training.optim import step_generator, step_seed
from models.training.reporter import Reporter
from models.training.state import clear_state, fingerprint
from models.world.clips import ActionClips, action_semantics, stack
from models.world.config import KEYS, MOUSE, WorldConfig, foreign_parts, world_config_from_dict
from models.world.flow import fields_to_first
from models.world.model import ActionWorld, to_frames, to_pixels
from models.world.objective import sample, world_loss
from models.world.preview import strip

__all__ = ["ActionClips", "ActionGenerator", "load_action", "train_action"]

KIND = "world-action"
ACTIONS_FILE = "actions.json"
_FIT_BATCHES = 8


def train_action(config: WorldConfig, data: ActionClips, out_dir: Path, reporter: Reporter) -> dict[str, Any]:
    """Train one model and write its checkpoint (`model.safetensors`, `config.json`, `metrics.json`, `actions.json`).

    A function of (config, data) alone; a killed run (SIGTERM: status 143) resumes from `out_dir/state` to the same bits.
    Returns {"metrics": numbers of the last steps, "steps": n, "recipe": hash}.
    """
    out_dir = Path(out_dir)
    seed, batch_size = config.train.seed, config.train.batch_size
    with fixed_threads(config.train.num_threads):
        model = build_model(config, data)

        def loss(index: int) -> tuple[Tensor, dict[str, float]]:
            frames, actions = stack(data.sample(seed, index, batch_size))
            video = to_pixels(frames)
            given = model.conditions(video[:, :, 0], torch.from_numpy(actions), video.shape[2])
            fields = _fields(frames) if config.motion is not None else None
            return world_loss(model, video, given, step_generator(seed, index, "flow"), fields)

        recipe = fingerprint(config, data.fingerprint)
        result = run_loop(config.train, model, loss, out_dir, reporter, recipe=recipe)
        result.ema.copy_to(model)
        save_action(out_dir, model.eval(), {"recipe": recipe, "num_steps": result.num_steps, **result.metrics})
        preview(ActionGenerator(model), data, reporter)
    clear_state(out_dir)
    return {"metrics": result.metrics, "steps": result.num_steps, "recipe": recipe}


def _fields(frames: np.ndarray) -> Tensor:
    """Measured displacements to the first frame, (B, T - 1, 2, h, w) pixels, of windows (B, T, h, w, 3) uint8."""
    return torch.from_numpy(np.stack([fields_to_first(window) for window in frames]))


def build_model(config: WorldConfig, data: ActionClips) -> ActionWorld:
    """A fresh model whose weights are a function of the seed; a PCA codec is fitted on the first training windows."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(step_seed(config.train.seed, 0, "init"))
        model = ActionWorld(config)
    if isinstance(model.codec, PatchPCA):
        windows = [
            w for i in range(_FIT_BATCHES) for w in data.sample(config.train.seed, -1 - i, config.train.batch_size)
        ]
        model.codec.fit(model.codec.patches(to_pixels(stack(windows)[0])).flatten(0, 3))
    return model.train()


def save_action(directory: Path, model: ActionWorld, metrics: Mapping[str, Any]) -> Path:
    """Write the four files of a checkpoint."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    semantics = json.dumps(action_semantics(model.config), sort_keys=True, indent=1) + "\n"
    (directory / ACTIONS_FILE).write_text(semantics, encoding="utf-8")
    config = {"kind": KIND, "world": asdict(model.config)}
    return save_checkpoint(directory, own_tensors(model, foreign_parts(model.config)), config, metrics)


def load_action(directory: Path) -> ActionGenerator:
    """Load a checkpoint strictly; raises CheckpointError naming what is missing, foreign or misshapen."""
    checkpoint = load_checkpoint(Path(directory), kind=KIND)
    model = ActionWorld(world_config_from_dict(checkpoint.config["world"]))
    load_strict(model, checkpoint.tensors, foreign=foreign_parts(model.config), where=str(directory))
    return ActionGenerator(model.eval())


class ActionGenerator:
    """A trained model, ready to play: first frame and actions in, frames out."""

    def __init__(self, model: ActionWorld) -> None:
        self.model, self.config = model, model.config

    def generate(
        self, first_frame: np.ndarray, actions: np.ndarray, *, steps: int | None = None, seed: int = 0
    ) -> np.ndarray:
        """Continue a picture. `first_frame` (h, w, 3) uint8 at the model's size; `actions` (N, keys + mouse) float32, columns
        KEYS + MOUSE, mouse in degrees. Returns uint8 (N + 1, h, w, 3), the first frame as given.

        Longer action sequences than a window are played window after window, each from the last frame of the one before.
        """
        return self.generate_batch(first_frame[None], actions[None], steps=steps, seed=seed)[0]

    def generate_batch(
        self, first_frames: np.ndarray, actions: np.ndarray, *, steps: int | None = None, seed: int = 0
    ) -> np.ndarray:
        """`generate` for several at once: (B, h, w, 3) and (B, N, keys + mouse) -> (B, N + 1, h, w, 3)."""
        self._check(first_frames, actions)
        chunk, total = self.config.window.num_frames - 1, actions.shape[1]
        pieces, last = [first_frames[:, None]], first_frames
        for number, begin in enumerate(range(0, total, chunk)):
            rows = actions[:, begin : begin + chunk]
            padded = np.concatenate([rows, np.repeat(rows[:, -1:], chunk - rows.shape[1], axis=1)], axis=1)
            frames = self._window(
                last, padded, steps or self.config.objective.num_steps, step_generator(seed, number, "generate")
            )
            pieces.append(frames[:, 1 : 1 + rows.shape[1]])
            last = pieces[-1][:, -1]
        return np.concatenate(pieces, axis=1)

    @torch.no_grad()
    def _window(self, first: np.ndarray, actions: np.ndarray, steps: int, generator: torch.Generator) -> np.ndarray:
        pixels = to_pixels(first[:, None])[:, :, 0]
        rows = torch.from_numpy(np.ascontiguousarray(actions, dtype=np.float32))
        given = self.model.conditions(pixels, rows, self.config.window.num_frames)
        return to_frames(sample(self.model, given, num_steps=steps, generator=generator))

    def _check(self, first: np.ndarray, actions: np.ndarray) -> None:
        size = (self.config.window.height, self.config.window.width, 3)
        columns = len(KEYS) + len(MOUSE)
        if first.shape[1:] != size or first.dtype != np.uint8:
            raise ValueError(f"first frame must be uint8 of shape {size}, got {first.dtype} {first.shape[1:]}")
        if actions.ndim != 3 or actions.shape[0] != len(first) or actions.shape[2] != columns or not actions.shape[1]:
            raise ValueError(
                f"actions must be ({len(first)}, N >= 1, {columns}), got {actions.shape}; columns: {[*KEYS, *MOUSE]}"
            )


def preview(generator: ActionGenerator, data: ActionClips, reporter: Reporter, count: int = 4) -> np.ndarray:
    """Strip of training windows: rows real / generated with true / with shuffled actions; reported and returned as RGB."""
    windows = data.sample(generator.config.train.seed, -100, count)
    frames, actions = stack(windows)
    arms = [
        frames,
        generator.generate_batch(frames[:, 0], actions),
        generator.generate_batch(frames[:, 0], np.roll(actions, 1, axis=0)),
    ]
    picture = strip(arms)
    reporter.image(generator.config.train.num_steps, "real_true_shuffled", picture)
    return picture
