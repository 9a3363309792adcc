"""A model that looks at a picture and answers in JSON: the one protocol behind every endpoint and every local model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from g2w.lineage.canonical import sha256_json
from g2w.ui.detector import DetectReason


@dataclass(frozen=True, eq=False)
class VisionRequest:
    """One question about one picture.

    Attributes:
        system, prompt: text.
        image: uint8 RGB (h, w, 3), sent without loss.
        schema: JSON schema the answer must follow.
        complaint: (earlier answer, what is wrong with it) of a second and last try, None for the first.
    """

    system: str
    prompt: str
    image: np.ndarray
    schema: Mapping[str, Any]
    complaint: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if self.image.dtype != np.uint8 or self.image.ndim != 3 or self.image.shape[2] != 3 or not self.image.size:
            raise ValueError(f"image must be uint8 (h, w, 3) and not empty, got {self.image.dtype} {self.image.shape}")

    def sha256(self, identity: Mapping[str, Any]) -> str:
        """Content address of this question put to the model of this identity; pixels are hashed, not their encoding."""
        pixels = hashlib.sha256(np.ascontiguousarray(self.image).tobytes()).hexdigest()
        return sha256_json(
            {
                "identity": dict(identity),
                "system": self.system,
                "prompt": self.prompt,
                "schema": dict(self.schema),
                "complaint": list(self.complaint) if self.complaint else None,
                "image": [list(self.image.shape), pixels],
            }
        )


@dataclass(frozen=True)
class VisionReply:
    """What came back. `finish`: why it ended ("stop" is good); token counts are None where the server does not say."""

    text: str
    finish: str
    served_model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    attempts: int = 1
    cached: bool = False


class VisionError(RuntimeError):
    """No answer, after all retries."""

    def __init__(self, reason: DetectReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class VisionModel(Protocol):
    """An endpoint or a local model."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON-able: all that can change an answer, and no secret."""
        ...

    def ask(self, request: VisionRequest) -> VisionReply:
        """Answer one question.

        Raises:
            VisionError: with a reason of the closed list.
        """
        ...
