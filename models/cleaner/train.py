"""Training of the GameCleaner: pairs in, checkpoint folder out. Resumable and bit-equal at a fixed thread count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor

from models.cleaner.augment import augment
from models.cleaner.checkpoint import save_cleaner
from models.cleaner.codec import PatchPCA
from models.cleaner.composite import smooth_over
from models.cleaner.config import CleanerConfig
from models.cleaner.data import PairBatch, PairSource
from models.cleaner.flow import FlowBatch, build_table, flow_loss, num_refilled
from models.cleaner.model import GameCleaner, to_pixels
from models.cleaner.restore import restore, see
from models.training.loop import fixed_threads, run_loop
from models.training.optim import step_generator, step_rng, step_seed
from models.training.reporter import Reporter
from models.training.state import clear_state, fingerprint

_FIT_BATCHES = 6
_VISIBLE = 26  # alpha (of 255) from which a pixel counts as interface in the mask target
_VALIDATION_STEP = -100


def train_cleaner(config: CleanerConfig, data: PairSource, out_dir: Path, reporter: Reporter) -> dict[str, Any]:
    """Train one cleaner and write its checkpoint into `out_dir`; returns the metrics that also go to `metrics.json`.

    `data` yields windows of `config.window` size. The run is a function of (config, data) alone; a killed run (SIGTERM:
    exit status 143) resumes from `out_dir/state`. Metrics carry no clock: losses, validation PSNR and mask scores.
    """
    out_dir = Path(out_dir)
    with fixed_threads(config.train.num_threads):
        model = build_model(config, data)
        table = build_table(config.flow)

        def loss(index: int) -> tuple[Tensor, dict[str, float]]:
            batch = prepare_batch(model, data.sample(config.train.seed, index, config.train.batch_size), index)
            return flow_loss(model, batch, table, step_generator(config.train.seed, index, "flow"))

        recipe = fingerprint(config, data.fingerprint)
        result = run_loop(config.train, model, loss, out_dir, reporter, recipe=recipe)
        result.ema.copy_to(model)
        metrics: dict[str, Any] = {
            "preset": config.preset,
            "recipe": recipe,
            "num_steps": result.num_steps,
            **result.metrics,
        }
        metrics.update(validate(model.eval(), data, reporter))
        save_cleaner(out_dir, model, metrics)
    clear_state(out_dir)
    return metrics


def build_model(config: CleanerConfig, data: PairSource) -> GameCleaner:
    """A fresh model whose weights are a function of the seed; a PCA codec is fitted on the first training windows."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(step_seed(config.train.seed, 0, "init"))
        model = GameCleaner(config)
    if isinstance(model.codec, PatchPCA):
        patches = []
        for index in range(_FIT_BATCHES):
            pairs = data.sample(config.train.seed, -1 - index, config.train.batch_size)
            pairs = augment(pairs, config.augment, step_rng(config.train.seed, -1 - index, "augment"))
            patches += [model.codec.patches(to_pixels(frames)).flatten(0, 3) for frames in (pairs.clean, pairs.ui)]
        model.codec.fit(torch.cat(patches))
    model.train()
    model.mllm.backbone.eval()
    return model


def prepare_batch(model: GameCleaner, pairs: PairBatch, index: int) -> FlowBatch:
    """Augment and encode a batch, drop the reference with the configured probability, build mask targets."""
    config = model.config
    rng = step_rng(config.train.seed, index, "augment")
    changed = augment(pairs, config.augment, rng)
    ui, clean, mask = changed.ui, changed.clean, changed.mask
    seen = see(ui, changed.far)
    with torch.no_grad():
        clean_pixels = to_pixels(clean)
        source, target = model.codec.encode(seen.pixels), model.codec.encode(clean_pixels)
        start = refilled_start(model, ui, mask, source, rng) if config.flow.prior == "source" else None
        reference, pictures = None, None
        # One draw for the batch: samples with and without a reference have different sequence lengths.
        if rng.random() >= config.reference_dropout:
            chosen = int(rng.integers(clean.shape[1]))
            reference = model.codec.encode(clean_pixels[:, :, chosen : chosen + 1])
            pictures = list(clean[:, chosen])
    context = model.context(list(ui), pictures)
    return FlowBatch(source, target, seen, mask_target(mask, target.shape[2]), context, reference, start)


def refilled_start(
    model: GameCleaner, ui: np.ndarray, mask: np.ndarray, source: Tensor, rng: np.random.Generator
) -> Tensor:
    """Start latents of the bridge: the source, whose first `num_refilled` samples have their interface smoothed over.

    The true mask is widened by a random amount, because at inference it will be the network's own, dilated.
    """
    count = num_refilled(model.config.flow, len(ui))
    if not count:
        return source
    filled = []
    for video, cover in zip(ui[:count], mask[:count], strict=True):
        size = 2 * int(rng.integers(0, 4)) + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
        wide = [cv2.dilate((frame >= _VISIBLE).astype(np.uint8), kernel) for frame in cover]
        filled.append(np.stack([smooth_over(frame, hidden) for frame, hidden in zip(video, wide, strict=True)]))
    return torch.cat([model.codec.encode(to_pixels(np.stack(filled))), source[count:]])


def mask_target(mask: np.ndarray, num_groups: int) -> Tensor:
    """Alpha coverage (B, T, h, w) uint8 -> (B, f, h, w) float in {0, 1}: visible in any frame of the codec's time
    group."""
    visible = torch.from_numpy((mask >= _VISIBLE).astype(np.float32))
    if num_groups == 1:
        return visible[:, :1]
    rest = visible[:, 1:].unflatten(1, (num_groups - 1, -1)).amax(dim=2)
    return torch.cat([visible[:, :1], rest], dim=1)


@torch.no_grad()
def validate(model: GameCleaner, data: PairSource, reporter: Reporter, num_batches: int = 2) -> dict[str, float]:
    """Clean windows of training games that no step has drawn, without a reference; inner-resolution figures.

    Returns PSNR (dB) inside the interface before / after and outside after, and the mask's precision / recall at 0.5.
    """
    config = model.config
    sums = np.zeros(7)
    for index in range(num_batches):
        pairs = data.sample(config.train.seed, _VALIDATION_STEP - index, config.train.batch_size)
        output, probability = restore(model, pairs.ui, pairs.far, step_generator(config.train.seed, index, "validate"))
        sums += _errors(pairs, output, probability)
        if index == 0:
            reporter.image(config.train.num_steps, "ui_output_clean", _strip(pairs, output, probability))
    before, after, outside, inside_count, outside_count, hits, found_or_true = sums
    figures = {
        "val_inside_psnr_input": _psnr(before, inside_count),
        "val_inside_psnr": _psnr(after, inside_count),
        "val_outside_psnr": _psnr(outside, outside_count),
        "val_mask_iou": float(hits / max(found_or_true, 1.0)),
    }
    reporter.scalars(config.train.num_steps, figures)
    return figures


def _errors(pairs: PairBatch, output: np.ndarray, probability: np.ndarray) -> np.ndarray:
    inside, found = pairs.mask >= _VISIBLE, probability > 0.5
    clean = pairs.clean.astype(np.float32)
    before, after = ((pairs.ui - clean) ** 2).mean(-1), ((output - clean) ** 2).mean(-1)
    sums = (before[inside], after[inside], after[~inside], inside, ~inside, inside & found, inside | found)
    return np.array([part.sum() for part in sums], dtype=np.float64)


def _psnr(squares: float, count: float) -> float:
    return float(10.0 * np.log10(255.0**2 / max(squares / max(count, 1.0), 1e-6)))


def _strip(pairs: PairBatch, output: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Rows = samples; columns = input, output, clean, mask of the middle frame."""
    middle = pairs.ui.shape[1] // 2
    gray = (probability[:, middle, ..., None] * 255).astype(np.uint8).repeat(3, axis=-1)
    rows = [
        np.concatenate([pairs.ui[i, middle], output[i, middle], pairs.clean[i, middle], gray[i]], axis=1)
        for i in range(min(4, len(gray)))
    ]
    return np.concatenate(rows, axis=0)
