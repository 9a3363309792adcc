"""A vision-language model on this machine: Qwen2.5-VL or Qwen3-VL from a local directory, asked like an endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from g2w.ui.detector import DetectReason
from g2w.ui.vision import VisionError, VisionReply, VisionRequest
from models.cleaner.weights import resolve_weights

FAMILIES = ("qwen2_5_vl", "qwen3_vl")


class LocalVision:
    """Implements `g2w.ui.vision.VisionModel` with greedy decoding. Weights are read at the first question.

    Args:
        name: local directory or hub id (see `resolve_weights`); safetensors only, nothing is downloaded.

    Raises:
        MissingWeightsError: if the directory is not there.
        ValueError: if it holds another family of models, or weights that are no safetensors.
    """

    def __init__(self, name: str, *, max_tokens: int = 4096) -> None:
        from transformers import AutoConfig

        self._folder, self._max_tokens = resolve_weights(name), max_tokens
        self._family = str(AutoConfig.from_pretrained(self._folder, local_files_only=True).model_type)
        if self._family not in FAMILIES:
            raise ValueError(
                f"{self._folder} holds a {self._family!r} model; this detector knows {', '.join(FAMILIES)}"
            )
        if not list(self._folder.glob("*.safetensors")):
            raise ValueError(f"{self._folder} holds no *.safetensors: other formats can run code and are not read")

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Family and folder name, the sha256 over all weights, and how answers are sampled."""
        return {
            "backend": "transformers",
            "model": f"{self._family}/{self._folder.name}",
            "weights_sha256": _sha256(self._folder),
            "temperature": 0,
            "max_tokens": self._max_tokens,
        }

    def ask(self, request: VisionRequest) -> VisionReply:
        """Answer one question; the schema is asked for by the prompt and checked by the caller, not enforced.

        Raises:
            VisionError: if the processor would resize the picture: boxes in pixels would then mean something else.
        """
        import torch

        messages: list[dict[str, Any]] = [
            {"role": "system", "content": [{"type": "text", "text": request.system}]},
            {"role": "user", "content": [{"type": "image", "image": request.image}, _text(request.prompt)]},
        ]
        if request.complaint is not None:
            answer, problem = request.complaint
            messages += [
                {"role": "assistant", "content": [_text(answer)]},
                {
                    "role": "user",
                    "content": [_text(f"{problem} Answer again, with the whole corrected JSON object only.")],
                },
            ]
        model, processor = self._loaded
        inputs = processor.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        ).to(model.device)
        self._check_size(inputs, request)
        with torch.inference_mode():
            tokens = model.generate(**inputs, max_new_tokens=self._max_tokens, do_sample=False)
        new = tokens[0, inputs["input_ids"].shape[1] :]
        return VisionReply(
            text=processor.decode(new, skip_special_tokens=True),
            finish="length" if len(new) >= self._max_tokens else "stop",
            served_model=self._folder.name,
            tokens_in=int(inputs["input_ids"].shape[1]),
            tokens_out=len(new),
        )

    def _check_size(self, inputs: Any, request: VisionRequest) -> None:
        patch = self._loaded[0].config.vision_config.patch_size
        _, rows, columns = (int(n) for n in inputs["image_grid_thw"][0])
        seen, sent = (rows * patch, columns * patch), request.image.shape[:2]
        if self._family == "qwen2_5_vl" and seen != sent:
            raise VisionError(
                DetectReason.WRONG_COORDINATES,
                f"the processor resizes {sent} to {seen}: raise max_pixels in preprocessor_config.json of {self._folder}",
            )

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        import torch
        from transformers import AutoModelForImageTextToText, AutoProcessor

        model = AutoModelForImageTextToText.from_pretrained(
            self._folder, local_files_only=True, use_safetensors=True, dtype="auto"
        )
        processor: Any = AutoProcessor.from_pretrained(self._folder, local_files_only=True)
        return model.eval().to("cuda" if torch.cuda.is_available() else "cpu"), processor


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _sha256(folder: Path) -> str:
    """Over names and bytes of all weight files and the configuration."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.safetensors"), folder / "config.json"]):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                digest.update(block)
    return digest.hexdigest()
