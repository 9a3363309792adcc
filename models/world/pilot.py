"""The pilot experiment: one small video model trained twice, on the same clips without and with interface.

Both arms share the codec, the initial weights, the noise and the order of the samples; the interface in the training
frames is the only difference (Game2World, pilot study).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from g2w.synth.render import PairRenderer
from g2w.video.read import read_frames
from models.cleaner.codec import PatchPCA, WanCodec, build_codec
from models.cleaner.schedule import inference_sigmas
from models.training.checkpoint import load_checkpoint, load_strict, own_tensors, save_checkpoint
from models.training.loop import fixed_threads, run_loop
from models.training.optim import step_generator, step_rng, step_seed
from models.training.reporter import Reporter
from models.training.state import clear_state, fingerprint
from models.world.body import build_transformer, coordinate_channels
from models.world.config import PilotConfig, WindowConfig, foreign_parts, pilot_config_from_dict
from models.world.context import build_context
from models.world.linear import LinearGuess
from models.world.model import to_frames, to_pixels
from models.world.objective import draw_sigmas
from models.world.preview import strip

Arm = Literal["clean", "ui"]
ARMS: tuple[Arm, Arm] = ("clean", "ui")
KIND = "world-pilot"
_FIT_BATCH = 16
_CODEC_BATCHES = 4
_WINDOWS_PER_RANK = 2
_MAX_RENDERERS = 256


class PilotClips:
    """Windows of clean clips at low size, each with the interface of one of its recipes drawn over it.

    A window's caption is the game of its clip. `sample` is a pure function of (seed, step, arm), and both arms see
    the same play.
    """

    def __init__(
        self,
        clips: Mapping[str, Path | np.ndarray],
        recipes: Sequence[Mapping[str, Any]],
        library_dir: Path,
        window: WindowConfig,
    ) -> None:
        """`clips`: clip_id -> video or frames (T, h, w, 3) uint8; recipes without any element are left out.

        Raises ValueError if nothing is left, or a clip is shorter than a window.
        """
        self._recipes = [row for row in recipes if not row["is_control"] and row["clip_id"] in clips]
        if not self._recipes:
            raise ValueError(f"none of {len(recipes)} recipes draws an interface over one of the {len(clips)} clips")
        size = (window.width, window.height)
        self._window, self._library = window, Path(library_dir)
        names = sorted({str(row["clip_id"]) for row in self._recipes})
        self._clips = {n: c if isinstance(c := clips[n], np.ndarray) else read_frames(c, size=size) for n in names}
        short = [name for name, frames in self._clips.items() if len(frames) < window.span]
        if short:
            raise ValueError(f"clips {short[:3]} are shorter than a window of {window.span} frames")
        self.captions = sorted({str(row["game"]) for row in self._recipes})
        self._renderer = lru_cache(maxsize=_MAX_RENDERERS)(self._build_renderer)
        self.fingerprint = fingerprint(names, [dict(row) for row in self._recipes], window)

    def sample(self, seed: int, step: int, batch: int, arm: Arm) -> tuple[np.ndarray, list[str]]:
        """Frames uint8 (B, T, h, w, 3) as `arm` sees them, and captions (B)."""
        rng = step_rng(seed, step, "pilot")
        frames, captions = zip(*(self._draw(rng, arm) for _ in range(batch)), strict=True)
        return np.stack(frames), list(captions)

    def _draw(self, rng: np.random.Generator, arm: Arm) -> tuple[np.ndarray, str]:
        number = int(rng.integers(len(self._recipes)))
        row = self._recipes[number]
        frames = self._clips[str(row["clip_id"])]
        limit = min(len(frames), int(row["num_frames"])) - self._window.span
        start = int(rng.integers(max(0, limit) + 1))
        chosen = [start + i * self._window.stride for i in range(self._window.num_frames)]
        if arm == "clean":
            return frames[chosen], str(row["game"])
        renderer = self._renderer(number)
        return np.stack([renderer.frame(i, frames[i])[0] for i in chosen]), str(row["game"])

    def _build_renderer(self, number: int) -> PairRenderer:
        return PairRenderer(self._library, self._recipes[number], canvas=(self._window.width, self._window.height))


class PilotModel(nn.Module):
    """Codec + caption context + stock Wan transformer (+ linear guess): text to video."""

    def __init__(self, config: PilotConfig, captions: Sequence[str]) -> None:
        super().__init__()
        self.config, self.captions = config, list(captions)
        self.codec: PatchPCA | WanCodec = build_codec(config.codec)
        self.context = build_context(config.context, self.captions, config.dit.text_dim)
        self.transformer = build_transformer(config.dit, extra_channels=2 if config.coordinates else 0)
        self.transformer.requires_grad_(not config.lora_rank)
        self.guess: LinearGuess | None = None
        if config.guess_rank:
            self.guess = LinearGuess(config.codec.channels * math.prod(latent_grid(config)), config.guess_rank)
            nn.init.zeros_(self.transformer.proj_out.weight)
            nn.init.zeros_(self.transformer.proj_out.bias)
        if config.lora_rank:
            from peft import LoraConfig

            targets = ["to_q", "to_k", "to_v", "to_out.0", "ffn.net.0.proj", "ffn.net.2"]
            self.transformer.add_adapter(
                LoraConfig(r=config.lora_rank, lora_alpha=config.lora_rank, target_modules=targets)
            )

    def velocity(self, z_t: Tensor, sigma: Tensor, captions: Sequence[str]) -> Tensor:
        """Velocity (noise - clean) at latents (B, C, f, h, w) of noise level `sigma` (B,)."""
        context = self.context(captions).to(z_t.dtype)
        given = torch.cat([z_t, coordinate_channels(z_t)], dim=1) if self.config.coordinates else z_t
        output: Tensor = self.transformer(given, 1000.0 * sigma, context, return_dict=False)[0]
        return output if self.guess is None else output + self.guess(z_t, sigma)


def train_both_arms(
    config: PilotConfig,
    clips: Mapping[str, Path | np.ndarray],
    recipes: Sequence[Mapping[str, Any]],
    library_dir: Path,
    out_dir: Path,
    reporter: Reporter,
) -> dict[str, Any]:
    """Train the arms `clean` and `ui` into sub-folders of `out_dir`; returns their losses, the ratio and `num_steps`."""
    data = PilotClips(clips, recipes, library_dir, config.window)
    losses = {arm: float(train_pilot(config, data, arm, Path(out_dir) / arm, reporter)["loss"]) for arm in ARMS}
    return {
        "loss_clean": losses["clean"],
        "loss_ui": losses["ui"],
        "loss_ratio_ui_to_clean": losses["ui"] / losses["clean"],
        "num_steps": 2 * config.train.num_steps,
    }


def train_pilot(config: PilotConfig, data: PilotClips, arm: Arm, out_dir: Path, reporter: Reporter) -> dict[str, Any]:
    """Train one arm and write its checkpoint; a finished one with the same recipe is read back instead.

    A function of (config, data, arm) alone; a killed run resumes from `out_dir/state` to the same bits.
    """
    recipe = fingerprint(config, data.fingerprint, arm)
    done = _finished(out_dir, recipe)
    if done is not None:
        reporter.log(f"pilot arm {arm}: already trained")
        return done
    seed, batch = config.train.seed, config.train.batch_size
    with fixed_threads(config.train.num_threads):
        model = _build(config, data, arm)

        def loss(index: int) -> tuple[Tensor, dict[str, float]]:
            """One batch of this arm."""
            frames, captions = data.sample(seed, index, batch, arm)
            with torch.no_grad():
                latents = model.codec.encode(to_pixels(frames))
            generator = step_generator(seed, index, "flow")
            noise = torch.randn(latents.shape, generator=generator)
            sigma = draw_sigmas(config.objective, batch, generator)
            wide = sigma.view(-1, 1, 1, 1, 1)
            predicted = model.velocity((1 - wide) * latents + wide * noise, sigma, captions)
            value = (predicted.float() - (noise - latents)).square().mean()
            return value, {f"velocity_loss_{arm}": value.item()}

        result = run_loop(config.train, model, loss, out_dir, reporter, recipe=recipe)
        result.ema.copy_to(model)
        metrics = {"arm": arm, "recipe": recipe, "num_steps": result.num_steps, **result.metrics}
        save_checkpoint(
            out_dir,
            own_tensors(model, foreign_parts(config)),
            {"kind": KIND, "pilot": asdict(config), "captions": model.captions},
            metrics,
        )
        frames = sample_pilot(out_dir, 2, seed=seed)
        reporter.image(config.train.num_steps, f"samples_{arm}", strip([frames]))
    clear_state(out_dir)
    return metrics


def sample_pilot(directory: Path, count: int, *, seed: int = 0, steps: int | None = None) -> np.ndarray:
    """Generate `count` videos, uint8 (count, T, h, w, 3); captions in turn, noise by index: arms are paired."""
    checkpoint = load_checkpoint(Path(directory), kind=KIND)
    config = pilot_config_from_dict(checkpoint.config["pilot"])
    model = PilotModel(config, checkpoint.config["captions"]).eval()
    load_strict(model, checkpoint.tensors, foreign=foreign_parts(config), where=str(directory))
    with torch.no_grad():
        shape = (config.codec.channels, *latent_grid(config))
        z = torch.stack([torch.randn(shape, generator=step_generator(seed, i, "sample")) for i in range(count)])
        captions = [model.captions[i % len(model.captions)] for i in range(count)]
        sigmas = inference_sigmas(steps or config.objective.num_steps, config.objective.shift)
        for sigma, following in pairwise(sigmas):
            z = z + (following - sigma) * model.velocity(z, sigma.expand(count), captions)
        return to_frames(model.codec.decode(z))


def latent_grid(config: PilotConfig) -> tuple[int, int, int]:
    """Latent frames, rows and columns of a window."""
    window, (step, height, width) = config.window, config.codec.patch
    return 1 + (window.num_frames - 1) // step, window.height // height, window.width // width


def _build(config: PilotConfig, data: PilotClips, arm: Arm) -> PilotModel:
    """Fresh weights as a function of the seed. A PCA codec sees both kinds of frames, so that neither arm is favored; a
    linear guess is part of what an arm learns, and sees that arm's frames alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(step_seed(config.train.seed, 0, "init"))
        model = PilotModel(config, data.captions)
    draws = partial(data.sample, config.train.seed)
    if isinstance(model.codec, PatchPCA):
        frames = np.concatenate([draws(-1 - i, _FIT_BATCH, a)[0] for i in range(_CODEC_BATCHES) for a in ARMS])
        model.codec.fit(model.codec.patches(to_pixels(frames)).flatten(0, 3))
    if model.guess is not None:
        count = -(-_WINDOWS_PER_RANK * config.guess_rank // _FIT_BATCH)
        with torch.no_grad():
            latents = [model.codec.encode(to_pixels(draws(-1 - i, _FIT_BATCH, arm)[0])) for i in range(count)]
        model.guess.fit(torch.cat(latents))
    return model.train()


def _finished(out_dir: Path, recipe: str) -> dict[str, Any] | None:
    import json

    path = Path(out_dir) / "metrics.json"
    if not path.is_file() or (Path(out_dir) / "state").exists():
        return None
    metrics: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return metrics if metrics.get("recipe") == recipe else None
