"""The flow-matching objective and Euler sampler of the action model, for both priors and both heads."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from models.cleaner.schedule import inference_sigmas, shift_sigmas
from models.world.config import ObjectiveConfig
from models.world.model import ActionWorld, Conditions
from models.world.motion import pyramid_loss, robust


def draw_sigmas(objective: ObjectiveConfig, batch: int, generator: torch.Generator) -> Tensor:
    """Noise levels (B,) in (0, 1]: shifted uniform, except that a share of the samples sits exactly at 1."""
    sigma = shift_sigmas(1.0 - torch.rand(batch, generator=generator), objective.shift)
    at_start = torch.rand(batch, generator=generator) < objective.start_share
    return torch.where(at_start, torch.ones_like(sigma), sigma)


def start_latents(objective: ObjectiveConfig, source: Tensor, generator: torch.Generator) -> Tensor:
    """Latents at sigma 1: noise, or the first frame repeated."""
    if objective.prior == "source":
        return source
    return torch.randn(source.shape, generator=generator).to(source)


def world_loss(
    model: ActionWorld, video: Tensor, given: Conditions, generator: torch.Generator, fields: Tensor | None = None
) -> tuple[Tensor, dict[str, float]]:
    """Loss of one batch of real windows (B, 3, T, h, w) in [-1, 1]; returns (loss, numbers to log).

    Without a motion head: mean square error of the velocity (frame 0 counted, as published). With one: photometric errors of
    the warped and of the final frames, x0-prediction of the same path, and the distance of the displacements to the measured
    `fields` (B, T - 1, 2, h, w) in pixels, where they are given.
    """
    objective = model.config.objective
    with torch.no_grad():
        clean = model.codec.encode(video)
        start = start_latents(objective, given.source, generator)
        sigma = draw_sigmas(objective, len(video), generator).to(video.device)
        wide = sigma.view(-1, 1, 1, 1, 1)
        z_t = (1.0 - wide) * clean + wide * start
    out = model.predict(z_t, sigma, given)
    motion = model.config.motion
    if out.pixels is None or out.displacement is None or motion is None:
        loss = (out.velocity.float() - (start - clean).float()).square().mean()
        return loss, {"velocity_loss": loss.item()}
    later = video[:, :, 1:]
    warped = pyramid_loss(given.first, out.displacement, later, motion.num_levels)
    final = robust(out.pixels[:, :, 1:] - later)
    loss, numbers = warped + final, {"warp_loss": warped.item(), "pixel_loss": final.item()}
    if fields is not None and motion.flow_weight:
        distance = robust((out.displacement - fields) / (motion.unit_px * fields.shape[1]))
        loss, numbers["flow_loss"] = loss + motion.flow_weight * distance, distance.item()
    return loss, numbers


@torch.no_grad()
def sample(model: ActionWorld, given: Conditions, *, num_steps: int, generator: torch.Generator) -> Tensor:
    """Video (B, 3, T, h, w) in about [-1, 1]: `num_steps` Euler steps from the prior; the first frame is the given one."""
    z = start_latents(model.config.objective, given.source, generator)
    sigmas = inference_sigmas(num_steps, model.config.objective.shift).to(z.device)
    pixels: Tensor | None = None
    for sigma, following in pairwise(sigmas):
        out = model.predict(z, sigma.expand(len(z)), given)
        pixels = out.pixels
        z = z + (following - sigma) * out.velocity
    video = model.codec.decode(z) if pixels is None else pixels
    return torch.cat([given.first[:, :, None], video[:, :, 1:]], dim=2)
