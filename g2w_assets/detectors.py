"""Which detector proposes elements: chosen by the plan, made in the worker, named in the recipe."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from g2w_assets import settings
from g2w_assets.plan import Plan, PlanError

if TYPE_CHECKING:
    from g2w.ui.detector import Detector
    from g2w.ui.vision import VisionModel


@dataclass(frozen=True)
class DetectorSpec:
    """How to make a detector in a worker.

    Attributes:
        backend: builtin (no model), endpoint (OpenAI-compatible, at G2W_MLLM_URL) or local (a transformers directory).
        model: id at the endpoint, or directory or hub id of local weights; empty for builtin.
        num_frames: of a clip that a model looks at.
        max_calls, max_tokens: of one snapshot, over all workers.
        ledger: name of the file that counts them.
    """

    backend: str
    model: str = ""
    num_frames: int = 3
    max_calls: int = 0
    max_tokens: int = 0
    ledger: str = "default"

    def item(self) -> dict[str, Any]:
        """As JSON, for a worker."""
        return asdict(self)


def spec_of(plan: Plan, ledger: str = "default") -> DetectorSpec:
    """The detector a plan asks for.

    Raises:
        PlanError: if it needs a model and none is named.
    """
    if plan.detector == "builtin":
        return DetectorSpec("builtin")
    if not plan.detector_model:
        raise PlanError(
            f"detector {plan.detector!r} needs a model: set {settings.MLLM_MODEL} to its id at {settings.MLLM_URL} "
            "(endpoint) or to a directory with Qwen2.5-VL or Qwen3-VL weights (local)"
        )
    return DetectorSpec(
        plan.detector,
        plan.detector_model,
        plan.detector_frames,
        plan.detector_max_calls,
        plan.detector_max_tokens,
        ledger,
    )


def detector_recipe(plan: Plan) -> dict[str, Any]:
    """All that decides the rows of ui/proposals: name, version, model, hashes of prompt and schema, settings."""
    return {**plan.recipe(), "detector": asdict(load_detector(spec_of(plan)).identity)}


@lru_cache(maxsize=4)
def load_detector(spec: DetectorSpec) -> Detector:
    """Make a detector; a worker keeps it between clips."""
    if spec.backend == "builtin":
        from g2w.ui.detect import BuiltinDetector

        return BuiltinDetector()
    from g2w.ui.mllm_detect import MllmConfig, MllmDetector
    from resources.mllm_cache import CachedVision

    model = _endpoint(spec) if spec.backend == "endpoint" else _local(spec)
    cached = CachedVision(model, settings.mllm_folder() / "answers")
    return MllmDetector(cached, MllmConfig(num_frames=spec.num_frames))


def _endpoint(spec: DetectorSpec) -> VisionModel:
    from resources.mllm import Endpoint, EndpointConfig
    from resources.mllm_budget import Budget

    ledger = settings.mllm_folder() / "spent" / f"{Path(spec.ledger).name}.json"
    return Endpoint(EndpointConfig(settings.mllm_url(), spec.model), Budget(ledger, spec.max_calls, spec.max_tokens))


def _local(spec: DetectorSpec) -> VisionModel:
    from models.perception.vlm import LocalVision

    return LocalVision(spec.model)
