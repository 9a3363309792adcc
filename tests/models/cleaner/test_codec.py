"""Latent codecs: shapes, exactness where the basis is complete, and errors."""

from __future__ import annotations

import pytest
import torch

from models.cleaner.codec import PatchPCA, WanCodec, build_codec, check_frames
from models.cleaner.config import CodecConfig


def moving(batch: int = 2, frames: int = 9) -> torch.Tensor:
    t, y, x = torch.meshgrid(torch.arange(frames), torch.arange(16), torch.arange(32), indexing="ij")
    return torch.stack(
        [torch.sin(0.3 * x + 0.2 * y * b + 0.5 * t)[None].expand(3, -1, -1, -1) for b in range(1, batch + 1)]
    )


def fitted(channels: int) -> PatchPCA:
    codec = PatchPCA(CodecConfig(kind="pca", channels=channels, patch=(4, 4, 4)))
    share = codec.fit(codec.patches(moving()).flatten(0, 3))
    assert 0 < share <= 1.0001
    return codec


def test_latent_shape_and_whitening() -> None:
    latents = fitted(8).encode(moving())
    assert latents.shape == (2, 8, 3, 4, 8)
    assert latents[:, 0].var() == pytest.approx(1.0, abs=0.2)


def test_reconstruction_improves_with_channels_and_is_nearly_exact() -> None:
    errors = [float((fitted(k).decode(fitted(k).encode(moving())) - moving()).square().mean()) for k in (1, 4, 16)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-3


def test_first_frame_stands_for_its_group() -> None:
    codec = fitted(8)
    video = moving(1)
    video[:, :, 1:] = 0
    assert torch.equal(codec.encode(video)[:, :, :1], codec.encode(moving(1))[:, :, :1])


def test_fit_is_deterministic_and_orthonormal() -> None:
    first, second = fitted(8), fitted(8)
    assert torch.equal(first.basis, second.basis)
    assert torch.allclose(first.basis.T @ first.basis, torch.eye(8), atol=1e-4)


def test_sizes_that_do_not_fit_are_refused() -> None:
    codec = fitted(4)
    with pytest.raises(ValueError, match="4n\\+1"):
        codec.encode(moving(1, frames=8))
    with pytest.raises(ValueError, match="multiple"):
        codec.encode(torch.zeros(1, 3, 9, 16, 30))
    with pytest.raises(ValueError, match="at least 4 patches"):
        codec.fit(torch.zeros(2, 192))
    assert check_frames(81, 4) == 21


def test_wan_codec_shapes_with_random_weights() -> None:
    codec = build_codec(CodecConfig(kind="wan", channels=8, patch=(4, 8, 8), tiny_vae=True))
    assert isinstance(codec, WanCodec)
    with torch.no_grad():
        latents = codec.encode(torch.zeros(1, 3, 9, 32, 48))
        assert latents.shape == (1, 8, 3, 4, 6)
        assert codec.decode(latents).shape == (1, 3, 9, 32, 48)
    assert not any(parameter.requires_grad for parameter in codec.parameters())


def test_wan_codec_without_weights_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="tiny_vae"):
        build_codec(CodecConfig(kind="wan", channels=8, patch=(4, 8, 8)))
