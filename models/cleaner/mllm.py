"""Latent queries through Qwen2.5-VL: the queries sit inside the token sequence and the language model's own attention
fills them.

A small model from scratch (frozen, seeded, with an offline byte-level tokenizer and processor) stands in for the
pretrained one in the preset `tiny`; the code path is the same. Pixel inputs are uint8 RGB videos (T, h, w, 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast, Qwen2_5_VLConfig, Qwen2_5_VLModel, Qwen2_5_VLProcessor

from models.cleaner.config import MLLMConfig
from models.cleaner.connector import Connector, build_context
from models.cleaner.weights import resolve_weights

PLACEHOLDER = "<|object_ref_start|>"
_SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    PLACEHOLDER,
    "<|object_ref_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
_SYSTEM = "Given a video and an instruction, describe the video in detail with the instruction in mind."
_REFERENCE_SUFFIX = " Use the reference image given after the instruction."
_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for c in m.content %}{% if c.type == 'text' %}{{ c.text }}"
    "{% elif c.type == 'video' %}<|vision_start|><|video_pad|><|vision_end|>"
    "{% elif c.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% endif %}{% endfor %}"
    "<|im_end|>\n{% endfor %}"
)
_FACTOR = 28


def build_tiny_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level tokenizer with Qwen's special tokens, made in memory (266 entries, no merges)."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: index for index, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(_SPECIAL))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<|endoftext|>", eos_token="<|im_end|>")


def build_tiny_processor(config: MLLMConfig) -> Qwen2_5_VLProcessor:
    """Qwen's processor around the tiny tokenizer; frames are scaled to at most `config.max_pixels`."""
    from transformers.models.qwen2_vl.image_processing_qwen2_vl import Qwen2VLImageProcessor
    from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

    limits: dict[str, Any] = {"min_pixels": _FACTOR * _FACTOR, "max_pixels": config.max_pixels}
    return Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**limits),
        tokenizer=build_tiny_tokenizer(),
        # Stated because the library's default of this switch changes between versions.
        video_processor=Qwen2VLVideoProcessor(cap_pixels_per_frame=False, **limits),
        chat_template=_TEMPLATE,
    )


def build_tiny_qwen(config: MLLMConfig, tokenizer: PreTrainedTokenizerFast) -> Qwen2_5_VLModel:
    """A from-scratch Qwen2.5-VL (2 + 2 layers) whose weights are a function of `config.init_seed` alone."""

    def token(text: str) -> int:
        return int(str(tokenizer.convert_tokens_to_ids(text)))

    heads, hidden = 4, config.hidden
    quarter = hidden // heads // 2
    shape = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": hidden,
            "intermediate_size": 2 * hidden,
            "num_hidden_layers": 2,
            "num_attention_heads": heads,
            "num_key_value_heads": 2,
            "max_position_embeddings": 4096,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [quarter - 2 * (3 * quarter // 8), 3 * quarter // 8, 3 * quarter // 8],
            },
            "bos_token_id": token("<|im_start|>"),
            "eos_token_id": token("<|im_end|>"),
            "pad_token_id": token("<|endoftext|>"),
        },
        vision_config={
            "depth": 2,
            "hidden_size": hidden,
            "intermediate_size": 2 * hidden,
            "num_heads": heads,
            "patch_size": 14,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "out_hidden_size": hidden,
            "window_size": 112,
            "fullatt_block_indexes": [1],
        },
        image_token_id=token("<|image_pad|>"),
        video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"),
        vision_end_token_id=token("<|vision_end|>"),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.init_seed)
        return Qwen2_5_VLModel(shape)


class MLLMEncoder(nn.Module):
    """(video, instruction, optional reference image) -> DiT context (B, n, dim). The language model is frozen; queries
    and connectors train where the preset says so."""

    def __init__(self, config: MLLMConfig, dim: int) -> None:
        super().__init__()
        self.config = config
        self.backbone: Any  # transformers' configurations carry loose types
        self.processor: Any
        if config.weights is None:
            self.processor = build_tiny_processor(config)
            self.backbone = build_tiny_qwen(config, self.processor.tokenizer)
        else:
            folder = resolve_weights(config.weights)
            self.processor = Qwen2_5_VLProcessor.from_pretrained(folder, local_files_only=True)
            self.backbone = Qwen2_5_VLModel.from_pretrained(folder, local_files_only=True, dtype=torch.bfloat16)
        self.backbone.requires_grad_(False).eval()
        hidden = self.backbone.config.text_config.hidden_size
        if hidden != config.hidden:
            raise ValueError(
                f"MLLM hidden size is {hidden}, MLLMConfig.hidden says {config.hidden}: correct the preset"
            )
        self.video_queries = nn.Parameter(torch.randn(config.num_queries, hidden) * 0.02)
        self.ref_queries = nn.Parameter(torch.randn(config.num_queries, hidden) * 0.02)
        self.connector = Connector(hidden, dim)
        self.ref_connector = Connector(hidden, dim)
        token = self.processor.tokenizer.convert_tokens_to_ids
        self._placeholder_id = int(token(PLACEHOLDER))
        self._vision_ids = (int(token("<|vision_start|>")), int(token("<|vision_end|>")))

    def forward(
        self, videos: Sequence[np.ndarray], instruction: str, references: Sequence[np.ndarray] | None = None
    ) -> Tensor:
        """Context of a batch. `videos`: (T, h, w, 3) uint8 each, all of one size; `references`: (h, w, 3) uint8 each,
        or None.

        With references the batch is encoded one by one, because the reference's states are variable in number.
        """
        if references is not None:
            rows = [self._encode([v], instruction, [r]) for v, r in zip(videos, references, strict=True)]
            return torch.cat(rows, dim=0)
        return self._encode(list(videos), instruction, None)

    def _encode(self, videos: list[np.ndarray], instruction: str, references: list[np.ndarray] | None) -> Tensor:
        inputs = self._tokenize(videos, instruction, references)
        queries = self.video_queries if references is None else self.ref_queries
        with self._scatter(inputs["input_ids"], queries):
            hidden = self.backbone(**inputs).last_hidden_state
        return build_context(
            hidden.to(self.connector[0].weight.dtype),
            inputs["input_ids"],
            self.connector,
            None if references is None else self.ref_connector,
            num_queries=self.config.num_queries,
            placeholder_id=self._placeholder_id,
            vision_ids=self._vision_ids,
            query_slice=self.config.query_slice,
        )

    def _tokenize(
        self, videos: list[np.ndarray], instruction: str, references: list[np.ndarray] | None
    ) -> dict[str, Tensor]:
        text = instruction if references is None else instruction + _REFERENCE_SUFFIX
        content: list[dict[str, str]] = [{"type": "video"}, {"type": "text", "text": text}]
        if references is not None:
            content.append({"type": "image"})
        content.append({"type": "text", "text": PLACEHOLDER * self.config.num_queries})
        messages = [
            {"role": "system", "content": [{"type": "text", "text": _SYSTEM}]},
            {"role": "user", "content": content},
        ]
        prompt = self.processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=False)
        sampled = [_sample(video, self.config.max_frames) for video in videos]
        raw = self.processor(
            text=[prompt] * len(videos), videos=sampled, images=references, return_tensors="pt", do_sample_frames=False
        )
        device = self.video_queries.device
        return {name: value.to(device) for name, value in raw.items() if isinstance(value, Tensor)}

    @contextmanager
    def _scatter(self, input_ids: Tensor, queries: Tensor) -> Iterator[None]:
        """Overwrite the placeholder rows of the embedding output with the queries while the block runs."""
        mask = input_ids == self._placeholder_id

        def overwrite(_module: nn.Module, _inputs: tuple[Tensor, ...], embedded: Tensor) -> Tensor:
            rows = queries.to(embedded.dtype).repeat(embedded.shape[0], 1)
            return embedded.masked_scatter(mask[..., None].expand_as(embedded), rows)

        handle = self.backbone.get_input_embeddings().register_forward_hook(overwrite)
        try:
            yield
        finally:
            handle.remove()


def _sample(video: np.ndarray, max_frames: int) -> np.ndarray:
    """At most `max_frames` evenly spaced frames, an even number of them (Qwen merges frames in pairs)."""
    count = max(2, min(max_frames, len(video)) // 2 * 2)
    return video[np.linspace(0, len(video) - 1, count).round().astype(int)]
