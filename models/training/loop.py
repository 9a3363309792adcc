"""One small training loop for every trainer: AdamW, warm-up + cosine, clipping, EMA, exact resume, orderly stop.

The loss must be a pure function of (weights, index): draw data and noise from `step_rng` / `step_generator`. Then a run
that was killed and resumed gives the same bits as one that was not (same machine class, versions and thread count).
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Self

import torch
from torch import Tensor, nn

from models.training.ema import EMA
from models.training.optim import build_adamw, cosine_lr, set_lr, step_seed
from models.training.reporter import Reporter
from models.training.state import load_state, save_state

LossFunction = Callable[[int], tuple[Tensor, Mapping[str, float]]]


@dataclass(frozen=True)
class LoopConfig:
    """Budget and optimizer settings. Budgets are steps, never seconds: the same recipe gives the same weights
    anywhere."""

    num_steps: int
    batch_size: int = 4
    lr: float = 1e-3
    warmup_steps: int = 20
    final_lr_ratio: float = 0.02
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.99)
    clip_norm: float = 1.0
    ema_decay: float = 0.99
    accumulate: int = 1
    seed: int = 0
    num_threads: int = 1
    log_every: int = 20
    save_every: int = 100

    def __post_init__(self) -> None:
        positive = {
            "num_steps": self.num_steps,
            "batch_size": self.batch_size,
            "lr": self.lr,
            "clip_norm": self.clip_norm,
            "accumulate": self.accumulate,
            "num_threads": self.num_threads,
            "log_every": self.log_every,
            "save_every": self.save_every,
        }
        for name, value in positive.items():
            if value <= 0:
                raise ValueError(f"LoopConfig.{name} must be positive, got {value}")
        if not 0 <= self.warmup_steps < self.num_steps:
            raise ValueError(
                f"LoopConfig.warmup_steps must lie in [0, num_steps), got {self.warmup_steps} of {self.num_steps}"
            )


@dataclass(frozen=True)
class LoopResult:
    """What a finished loop hands back: the averaged weights (also to be applied by the caller) and its figures."""

    ema: EMA
    num_steps: int
    resumed_from: int
    metrics: dict[str, float] = field(default_factory=dict)


@contextmanager
def fixed_threads(num_threads: int) -> Iterator[None]:
    """Run a block with a fixed torch thread count (sums depend on it), then restore the former one."""
    before = torch.get_num_threads()
    torch.set_num_threads(num_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _StopFlag:
    """Turns SIGTERM into a flag that the loop reads between steps, so that the saved state is a whole step."""

    def __init__(self) -> None:
        self.raised = False
        self._previous: signal.Handlers | Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGTERM, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGTERM, self._previous)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.raised = True


def run_loop(
    config: LoopConfig,
    module: nn.Module,
    loss_function: LossFunction,
    out_dir: Path,
    reporter: Reporter,
    *,
    recipe: str,
    lr_scale: Callable[[str], float] | None = None,
    on_step: Callable[[int], None] | None = None,
) -> LoopResult:
    """Train `module`'s trainable parameters in place and return the EMA (the caller applies it).

    `loss_function(index)` returns (scalar loss, named numbers to log); index = step * accumulate + micro-step, from 0.
    `recipe` = `state.fingerprint(...)` of everything that shapes the run; `on_step(step)` runs after each update (step
    from 1). State is saved every `save_every` steps to `out_dir/state` and on SIGTERM, which ends the process with
    status 143. The caller writes its checkpoint and then calls `state.clear_state(out_dir)`. Raises FloatingPointError
    if the loss is not finite.
    """
    optimizer = build_adamw(
        module, lr=config.lr, weight_decay=config.weight_decay, betas=config.betas, lr_scale=lr_scale
    )
    ema = EMA(module, config.ema_decay)
    start = load_state(out_dir, module=module, optimizer=optimizer, ema=ema, recipe=recipe)
    if start:
        reporter.log(f"resumed from step {start} of {config.num_steps}")
    meter = _Meter(config, reporter)
    with fixed_threads(config.num_threads), torch.random.fork_rng(devices=[]), _StopFlag() as stop:
        for step in range(start, config.num_steps):
            # Dropout and anything else on the global generator must not depend on what ran before this step.
            torch.manual_seed(step_seed(config.seed, step, "global"))
            meter.add(step, *_update(config, module, optimizer, loss_function, step))
            ema.update(module)
            if on_step is not None:
                on_step(step + 1)
            last = step + 1 == config.num_steps
            if stop.raised or last or (step + 1) % config.save_every == 0:
                save_state(out_dir, step=step + 1, module=module, optimizer=optimizer, ema=ema, recipe=recipe)
            if stop.raised and not last:
                reporter.log(f"SIGTERM: state saved after step {step + 1}; run the same command again to resume")
                raise SystemExit(143)
    return LoopResult(ema=ema, num_steps=config.num_steps, resumed_from=start, metrics=meter.summary())


def _update(
    config: LoopConfig, module: nn.Module, optimizer: torch.optim.Optimizer, loss_function: LossFunction, step: int
) -> tuple[float, float, float, Mapping[str, float]]:
    """One optimizer update; returns (loss, gradient norm before clipping, learning rate, extra numbers)."""
    factor = cosine_lr(
        step, num_steps=config.num_steps, warmup_steps=config.warmup_steps, final_ratio=config.final_lr_ratio
    )
    set_lr(optimizer, config.lr * factor)
    optimizer.zero_grad(set_to_none=True)
    total, extras = 0.0, {}
    for micro in range(config.accumulate):
        loss, numbers = loss_function(step * config.accumulate + micro)
        (loss / config.accumulate).backward()
        total += loss.item() / config.accumulate
        extras = dict(numbers)
    if not torch.isfinite(torch.tensor(total)):
        raise FloatingPointError(f"loss is {total} at step {step + 1}: lower lr ({config.lr}) or lengthen warmup_steps")
    trainable = [parameter for parameter in module.parameters() if parameter.requires_grad]
    norm = float(nn.utils.clip_grad_norm_(trainable, config.clip_norm, foreach=False))
    optimizer.step()
    return total, norm, config.lr * factor, extras


class _Meter:
    """Averages numbers between two log lines and reports them; wall-clock figures go to the reporter only, never to a
    file."""

    def __init__(self, config: LoopConfig, reporter: Reporter) -> None:
        self._config, self._reporter = config, reporter
        self._sums: dict[str, float] = {}
        self._count = 0
        self._since = time.perf_counter()
        self._last: dict[str, float] = {}

    def add(self, step: int, loss: float, norm: float, lr: float, extras: Mapping[str, float]) -> None:
        """Take one step's numbers; report when `log_every` steps are complete or the run ends."""
        for name, value in {"loss": loss, "grad_norm": norm, **extras}.items():
            self._sums[name] = self._sums.get(name, 0.0) + float(value)
        self._count += 1
        if (step + 1) % self._config.log_every and step + 1 != self._config.num_steps:
            return
        now = time.perf_counter()
        rate = self._count * self._config.batch_size * self._config.accumulate / max(now - self._since, 1e-9)
        self._last = {name: value / self._count for name, value in self._sums.items()}
        self._reporter.scalars(step + 1, {**self._last, "lr": lr, "samples_per_s": rate})
        self._sums, self._count, self._since = {}, 0, now

    def summary(self) -> dict[str, float]:
        """Mean numbers of the last logged span (loss, grad_norm and extras)."""
        return dict(self._last)
