"""The flow-matching objective and the Euler sampler, for both priors.

z_t = (1 - sigma) clean + sigma start, v = start - clean, where start is noise (published) or the source itself
(bridge).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional as F

from models.cleaner.config import FlowConfig
from models.cleaner.mask_head import Seen, mask_loss
from models.cleaner.model import GameCleaner, Prediction
from models.cleaner.schedule import TrainTable, inference_sigmas, train_table


@dataclass(frozen=True)
class FlowBatch:
    """One prepared batch. `source`, `clean` latents (B, C, f, h', w'); `seen` the source's pixels and far frames; `mask`
    (B, f, h, w) targets in [0, 1]; `context` (B, n, dim); `reference` latents (B, C, 1, h', w') or None; `start`
    latents where sigma is 1, (the source, except for refilled samples) or None for the noise prior."""

    source: Tensor
    clean: Tensor
    seen: Seen
    mask: Tensor
    context: Tensor
    reference: Tensor | None = None
    start: Tensor | None = None


def num_refilled(flow: FlowConfig, batch: int) -> int:
    """How many samples of a batch (its first ones) start from the refilled source."""
    return min(batch - 1, max(1, round(flow.refill_share * batch))) if flow.refill_share and batch > 1 else 0


def draw_rows(flow: FlowConfig, batch: int, generator: torch.Generator) -> Tensor:
    """Table rows (B,) int64: uniform, except that a share of samples sits at row 0, where a one-step sampler starts."""
    rows = torch.randint(0, 1000, (batch,), generator=generator)
    at_start = torch.rand(batch, generator=generator) < flow.start_share
    return torch.where(at_start, torch.zeros_like(rows), rows)


def draw_groups(count: int | None, shape: Sequence[int], generator: torch.Generator) -> Tensor:
    """Which latent frames of each sample teach the mask in this step: (B, n) int64, in order; None = all of (B, f)."""
    batch, frames = shape
    order = torch.rand(batch, frames, generator=generator).argsort(dim=1)
    return order[:, : count or frames].sort(dim=1).values


def velocity_loss(prediction: Tensor, target: Tensor, weight: Tensor, region: Tensor | None = None) -> Tensor:
    """Mean square error in float32 per sample times `weight` (B,); `region` (B, 1, f, h', w') re-weights tokens."""
    error = (prediction.float() - target.float()).square()
    if region is not None:
        error = error * region
    return (error.flatten(1).mean(dim=1) * weight).mean()


def flow_loss(
    model: GameCleaner, batch: FlowBatch, table: TrainTable, generator: torch.Generator
) -> tuple[Tensor, dict[str, float]]:
    """Training loss of one batch: weighted velocity error + mask loss; returns (loss, numbers to log)."""
    flow = model.config.flow
    rows = draw_rows(flow, len(batch.clean), generator)
    sigma = table.sigmas[rows].to(batch.clean.device)
    start = batch.start
    if flow.prior == "noise" or start is None:
        start = torch.randn(batch.clean.shape, generator=generator).to(batch.clean.device)
    wide = sigma.view(-1, 1, 1, 1, 1)
    z_t = (1.0 - wide) * batch.clean + wide * start
    out: Prediction = model.predict(z_t, sigma, batch.context, batch.source, batch.reference)
    # Interface covers a tenth of the picture: without a region weight nine tenths of the gradient say "copy".
    region = 1.0 + 4.0 * F.adaptive_max_pool2d(batch.mask, batch.clean.shape[-2:])[:, None]
    velocity = velocity_loss(
        out.velocity, start - batch.clean, table.weights[rows].to(wide.device), region / region.mean()
    )
    # A refilled start shows where the mask is; learning to read it there would teach nothing about real input.
    first = num_refilled(flow, len(batch.clean))
    truth = batch.mask[first:]
    groups = draw_groups(model.config.mask.num_groups, truth.shape[:2], generator).to(truth.device)
    logits = model.read_mask(out.tail(first), batch.seen.tail(first), groups)
    mask = mask_loss(logits, truth.gather(1, groups[..., None, None].expand(-1, -1, *truth.shape[2:])))
    total = velocity + model.config.mask.loss_weight * mask
    return total, {"velocity_loss": velocity.item(), "mask_loss": mask.item()}


def build_table(flow: FlowConfig) -> TrainTable:
    """The training table of a flow configuration."""
    return train_table(flow.shift, weighting=flow.weighting)


@torch.no_grad()
def find_mask(
    model: GameCleaner, source: Tensor, seen: Seen, context: Tensor, reference: Tensor | None = None
) -> Tensor:
    """Interface probability (B, f, h, w) read at sigma 1 of the source bridge, whose input is the source itself."""
    sigma = torch.ones(len(source), device=source.device)
    return model.read_mask(model.predict(source, sigma, context, source, reference), seen).sigmoid()


@torch.no_grad()
def sample(
    model: GameCleaner,
    source: Tensor,
    seen: Seen,
    context: Tensor,
    *,
    num_steps: int,
    reference: Tensor | None = None,
    start: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """Euler steps from the prior to clean latents; returns (clean latents, mask probabilities (B, f, h, w)).

    `start` replaces the point at sigma 1 (default: the source for the bridge, noise otherwise). The mask is read at the
    first step of the bridge, where the input is the source; for the noise prior at the last step, when the picture
    exists.
    """
    flow = model.config.flow
    sigmas = inference_sigmas(num_steps, flow.shift).to(source.device)
    z = source if start is None else start
    if flow.prior == "noise" and start is None:
        z = torch.randn(source.shape, generator=generator).to(source.device)
    read: Prediction | None = None
    for sigma, following in pairwise(sigmas):
        out = model.predict(z, sigma.expand(len(z)), context, source, reference)
        if read is None or flow.prior == "noise":
            read = out
        z = z + (following - sigma) * out.velocity
    if read is None:
        raise RuntimeError("the sampler made no step")
    return z, model.read_mask(read, seen).sigmoid()
