"""The condition encoder: offline, frozen, queries filled by the language model's own attention."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from models.cleaner.config import MLLMConfig
from models.cleaner.mllm import MLLMEncoder
from models.cleaner.weights import MissingWeightsError

CONFIG = MLLMConfig(hidden=64, num_queries=4, max_frames=4, max_pixels=28 * 28 * 4)


@pytest.fixture(scope="module")
def encoder() -> MLLMEncoder:
    torch.manual_seed(0)
    model = MLLMEncoder(CONFIG, 24)
    for connector in (model.connector, model.ref_connector):
        torch.nn.init.normal_(connector[2].weight)
    return model


def videos(count: int = 2) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 255, (9, 36, 64, 3)).astype(np.uint8) for _ in range(count)]


def test_context_starts_at_zero() -> None:
    assert not MLLMEncoder(CONFIG, 24)(videos(1), "remove").any()


def test_context_depends_on_video_and_instruction(encoder: MLLMEncoder) -> None:
    first, second = videos()
    context = encoder([first, second], "remove the interface")
    assert context.shape == (2, 4, 24)
    assert not torch.allclose(context[0], context[1])
    assert not torch.allclose(context[0], encoder([first], "keep everything")[0])
    assert torch.allclose(context[0], encoder([first], "remove the interface")[0], atol=1e-5)


def test_reference_tokens_come_in_front(encoder: MLLMEncoder) -> None:
    clips = videos()
    context = encoder(clips, "remove", [clips[0][0], clips[1][0]])
    assert context.shape[0] == 2 and context.shape[1] > 4


def test_gradient_reaches_the_queries_and_not_the_backbone(encoder: MLLMEncoder) -> None:
    encoder.zero_grad()
    encoder(videos(1), "remove").square().sum().backward()
    assert encoder.video_queries.grad is not None and encoder.video_queries.grad.abs().sum() > 0
    assert all(parameter.grad is None for parameter in encoder.backbone.parameters())


def test_weights_are_a_function_of_the_seed() -> None:
    torch.manual_seed(1)
    first = MLLMEncoder(CONFIG, 24).backbone.state_dict()
    torch.manual_seed(2)
    second = MLLMEncoder(CONFIG, 24).backbone.state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_missing_weights_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("G2W_WEIGHTS", str(tmp_path))
    with pytest.raises(MissingWeightsError, match="hf download Qwen/Some-Model"):
        MLLMEncoder(MLLMConfig(hidden=64, weights="Qwen/Some-Model"), 24)
