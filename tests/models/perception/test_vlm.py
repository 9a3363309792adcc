from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from g2w.ui.coordinates import SENT_SIZE, Coordinates, convention_of
from g2w.ui.detector import DetectReason
from g2w.ui.vision import VisionError, VisionRequest
from models.cleaner.config import MLLMConfig
from models.cleaner.mllm import build_tiny_processor, build_tiny_qwen
from models.cleaner.weights import MissingWeightsError
from models.perception.vlm import LocalVision

REQUEST = VisionRequest("s", "p", np.zeros((SENT_SIZE[1], SENT_SIZE[0], 3), np.uint8), {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A from-scratch Qwen2.5-VL with the real classes and file formats: it answers, and says nothing of sense."""
    from transformers import Qwen2_5_VLForConditionalGeneration

    path = tmp_path_factory.mktemp("weights") / "tiny"
    config = MLLMConfig(hidden=64, max_pixels=SENT_SIZE[0] * SENT_SIZE[1])
    processor = build_tiny_processor(config)
    Qwen2_5_VLForConditionalGeneration(build_tiny_qwen(config, processor.tokenizer).config).save_pretrained(path)
    processor.save_pretrained(path)
    return path


def test_a_local_model_answers_greedily_and_says_where_it_stopped(folder) -> None:
    model = LocalVision(str(folder), max_tokens=4)
    first, second = (model.ask(REQUEST) for _ in range(2))
    assert first == second and first.tokens_out is not None and 1 <= first.tokens_out <= 4
    assert first.finish == ("length" if first.tokens_out == 4 else "stop")
    again = model.ask(replace(REQUEST, complaint=("{", "not JSON.")))
    assert again.tokens_in is not None and first.tokens_in is not None and again.tokens_in > first.tokens_in


def test_the_identity_is_that_of_the_weights_and_knows_its_unit(folder, tmp_path) -> None:
    model = LocalVision(str(folder))
    assert convention_of(model.identity["model"]) is Coordinates.PIXEL
    json.dumps(dict(model.identity))
    copy = tmp_path / "tiny"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    assert LocalVision(str(copy)).identity == model.identity
    weights = next(copy.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x00")
    assert LocalVision(str(copy)).identity != model.identity


def test_a_picture_that_would_be_resized_is_refused(folder) -> None:
    model = LocalVision(str(folder), max_tokens=1)
    with pytest.raises(VisionError, match="max_pixels") as caught:
        model.ask(replace(REQUEST, image=np.zeros((30, 100, 3), np.uint8)))
    assert caught.value.reason is DetectReason.WRONG_COORDINATES


def test_what_is_no_such_model_is_refused(tmp_path) -> None:
    with pytest.raises(MissingWeightsError, match="hf download"):
        LocalVision("nobody/nothing")
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ValueError, match="qwen3_vl"):
        LocalVision(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_5_vl"}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(ValueError, match="safetensors"):
        LocalVision(str(tmp_path))
