from __future__ import annotations

import json
from pathlib import Path

import av
import numpy as np
import pytest

from g2w.synth.degrade import StreamWriter, codec_of, recompress

SIZE = (320, 192)


@pytest.fixture(scope="module")
def frames() -> list[np.ndarray]:
    world = np.random.default_rng(0).integers(0, 255, (24, 60, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    return [np.ascontiguousarray(world[:, 2 * k : 2 * k + SIZE[0]]) for k in range(12)]


@pytest.mark.parametrize("encoder", ["libx264", "libx265", "libsvtav1"])
def test_every_encoder_damages_more_at_a_lower_rate_and_repeats_itself(frames: list[np.ndarray], encoder: str) -> None:
    def error(kbps: int) -> float:
        out = list(recompress(frames, {"encoder": encoder, "kbps": kbps, "chroma": "yuv420p"}))
        assert len(out) == len(frames)
        return float(np.mean([np.abs(a.astype(int) - b).mean() for a, b in zip(out, frames, strict=True)]))

    low, high = error(800), error(30_000)
    assert high < low < 40
    assert {error(800) for _ in range(8)} == {low}


def test_chroma_is_kept_where_the_recipe_says_so(frames: list[np.ndarray]) -> None:
    def error(chroma: str) -> float:
        out = recompress(frames, {"encoder": "libx264", "kbps": 60_000, "chroma": chroma})
        return float(np.mean([np.abs(a.astype(int) - b).mean() for a, b in zip(out, frames, strict=True)]))

    assert error("yuv444p") < error("yuv420p")


def test_files_play_with_the_codec_they_name(frames: list[np.ndarray], tmp_path: Path) -> None:
    for encoder, name in (("libx264", "h264"), ("libx265", "hevc"), ("libsvtav1", "av1")):
        codec = {"encoder": encoder, "kbps": 2000, "chroma": "yuv420p"}
        with StreamWriter(tmp_path / f"{name}.mp4", codec, width=SIZE[0], height=SIZE[1]) as writer:
            for frame in frames:
                writer.write(frame)
        with av.open(str(tmp_path / f"{name}.mp4")) as container:
            context = container.streams.video[0].codec_context
            assert context.codec.canonical_name == name
            assert (context.width, context.height) == SIZE


def test_recipes_name_their_codec() -> None:
    codec = {"encoder": "libx264", "kbps": 1500, "chroma": "yuv420p"}
    assert codec_of({"look": json.dumps({"codec": codec})}) == codec
    assert codec_of({"look": json.dumps({"codec": None})}) is codec_of({"look": "{}"}) is codec_of({}) is None


def test_misuse_is_named(frames: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="mpeg2"):
        list(recompress(frames, {"encoder": "mpeg2", "kbps": 100, "chroma": "yuv420p"}))
    with pytest.raises(ValueError, match="no frames"):
        list(recompress([], {"encoder": "libx264", "kbps": 100, "chroma": "yuv420p"}))
