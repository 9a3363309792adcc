"""Training of the lite cleaner's segmenter: crops in, checkpoint folder out; resumable, bit-equal at fixed threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor

from models.lite.checkpoint import save_lite
from models.lite.config import LiteConfig
from models.lite.evidence import NUM_CHANNELS
from models.lite.pairs import LiteBatch, LiteSource
from models.lite.segmenter import Segmenter, mask_loss
from models.training.loop import fixed_threads, run_loop
from models.training.optim import step_seed
from models.training.reporter import Reporter
from models.training.state import clear_state, fingerprint

_VALIDATION_STEP = -100
_VALIDATION_BATCHES = 4


def train_lite(config: LiteConfig, data: LiteSource, out_dir: Path, reporter: Reporter) -> dict[str, Any]:
    """Train one segmenter and write its checkpoint into `out_dir`; returns the metrics that go to `metrics.json`.

    The run is a function of (config, data) alone; a killed run (SIGTERM: exit status 143) resumes from `out_dir/state`.
    Metrics carry no clock: losses, and the mask's F1, IoU, precision and recall on crops that no step has drawn.
    """
    out_dir = Path(out_dir)
    with fixed_threads(config.train.num_threads):
        model = build_segmenter(config)

        def loss(index: int) -> tuple[Tensor, dict[str, float]]:
            batch = data.sample(config.train.seed, index, config.train.batch_size)
            return mask_loss(_logits(model, batch), torch.from_numpy(batch.target)), {}

        recipe = fingerprint(config, data.fingerprint)
        result = run_loop(config.train, model, loss, out_dir, reporter, recipe=recipe)
        result.ema.copy_to(model)
        metrics: dict[str, Any] = {"preset": config.preset, "recipe": recipe, "num_steps": result.num_steps}
        metrics.update(result.metrics)
        metrics.update(validate(model.eval(), config, data, reporter))
        save_lite(out_dir, model, config, metrics)
    clear_state(out_dir)
    return metrics


def build_segmenter(config: LiteConfig) -> Segmenter:
    """A fresh segmenter whose weights are a function of the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(step_seed(config.train.seed, 0, "init"))
        # Faster on CPU for few channels; the values are the same up to rounding.
        return Segmenter(NUM_CHANNELS, config.widths).to(memory_format=torch.channels_last)


def _logits(model: Segmenter, batch: LiteBatch) -> Tensor:
    return model(torch.from_numpy(batch.evidence).contiguous(memory_format=torch.channels_last))


@torch.no_grad()
def validate(model: Segmenter, config: LiteConfig, data: LiteSource, reporter: Reporter) -> dict[str, float]:
    """F1, IoU, precision and recall at probability 0.5 on crops of training games that no step has drawn."""
    hits = found_count = true_count = 0
    for index in range(_VALIDATION_BATCHES):
        batch = data.sample(config.train.seed, _VALIDATION_STEP - index, config.train.batch_size)
        probability = _logits(model, batch).sigmoid().numpy()
        found, true = probability > 0.5, batch.target > 0.5
        hits += int((found & true).sum())
        found_count, true_count = found_count + int(found.sum()), true_count + int(true.sum())
        if index == 0:
            reporter.image(config.train.num_steps, "ui_truth_found", _strip(batch, probability))
    figures = {
        "mask_f1": 2 * hits / max(found_count + true_count, 1),
        "mask_iou": hits / max(found_count + true_count - hits, 1),
        "mask_precision": hits / max(found_count, 1),
        "mask_recall": hits / max(true_count, 1),
    }
    reporter.scalars(config.train.num_steps, figures)
    return figures


def _strip(batch: LiteBatch, probability: np.ndarray) -> np.ndarray:
    """Rows = crops; columns = input, true mask, found mask."""
    gray = [cv2.cvtColor((each * 255).astype(np.uint8), cv2.COLOR_GRAY2RGB) for each in (*batch.target, *probability)]
    count = len(probability)
    rows = [np.concatenate([batch.picture[i], gray[i], gray[count + i]], axis=1) for i in range(min(4, count))]
    return np.concatenate(rows, axis=0)
