"""Training pairs from real recipes over real drawings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from g2w.synth.recipe import sample_recipes
from g2w.ui.draw import starter_library
from g2w.ui.library import read_library, write_library
from models.cleaner.config import WindowConfig
from models.cleaner.pairs import RecipePairs

WINDOW = WindowConfig(num_frames=9, stride=2, height=72, width=128)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    write_library(starter_library("a", num_variants=1), folder)
    return folder


@pytest.fixture(scope="module")
def clips() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {f"clip{i}": rng.integers(0, 255, (30, 72, 128, 3)).astype(np.uint8) for i in range(2)}


@pytest.fixture(scope="module")
def recipes(library: Path, clips: dict[str, np.ndarray]) -> list[dict]:
    rows = [{"clip_id": name, "game": "g", "split": "train", "num_frames": 30} for name in clips]
    return sample_recipes(rows, read_library(library), count=6, seed=1, split="train")


def test_pairs_are_aligned_and_a_function_of_seed_and_step(library: Path, clips, recipes) -> None:
    source = RecipePairs(clips, recipes, library, WINDOW)
    pairs, again = source.sample(0, 4, 3), RecipePairs(clips, recipes, library, WINDOW).sample(0, 4, 3)
    assert pairs.ui.shape == (3, 9, 72, 128, 3) and pairs.mask.shape == (3, 9, 72, 128)
    assert (pairs.ui == again.ui).all() and (pairs.mask == again.mask).all()
    assert (pairs.ui[pairs.mask == 0] == pairs.clean[pairs.mask == 0]).all()
    assert (pairs.mask > 0).any()
    assert not (pairs.clean == source.sample(0, 5, 3).clean).all()


def test_every_second_frame_of_the_own_clip(library: Path, clips, recipes) -> None:
    source = RecipePairs(clips, recipes, library, WINDOW, recombine=False)
    clean = source.sample(0, 0, 1).clean[0]
    spans = [frames[s : s + 17 : 2] for frames in clips.values() for s in range(14)]
    assert any((clean == span).all() for span in spans)


def test_windows_go_through_the_stream_codec_only_when_asked(library: Path, clips, recipes) -> None:
    codec = {"encoder": "libx264", "kbps": 900, "chroma": "yuv420p"}
    streamed = [{**row, "look": json.dumps({**json.loads(row["look"]), "codec": codec})} for row in recipes]
    plain = RecipePairs(clips, streamed, library, WINDOW)
    coded = RecipePairs(clips, streamed, library, WINDOW, codec=True)
    assert plain.fingerprint != coded.fingerprint
    sharp, lossy, again = plain.sample(0, 4, 2), coded.sample(0, 4, 2), coded.sample(0, 4, 2)
    assert (lossy.clean == sharp.clean).all() and (lossy.mask == sharp.mask).all()
    assert (lossy.ui == again.ui).all() and not (lossy.ui == sharp.ui).all()
    without = [{**row, "look": json.dumps({**json.loads(row["look"]), "codec": None})} for row in recipes]
    untouched = RecipePairs(clips, without, library, WINDOW, codec=True).sample(0, 4, 2)
    assert (untouched.ui == sharp.ui).all()


def test_far_frames_are_of_the_same_clip_under_the_same_interface(library: Path, clips, recipes) -> None:
    source = RecipePairs(clips, recipes, library, WINDOW, recombine=True)
    for step in range(6):
        pairs = source.sample(0, step, 1)
        assert pairs.far.shape == (1, WINDOW.num_far, 72, 128, 3)
        (frames,) = [f for f in clips.values() if any((f[i] == pairs.clean[0, 0]).all() for i in range(30))]
        free = pairs.mask.max(axis=(0, 1)) == 0
        # Noise clips: a far frame is one of the clip's frames wherever no interface lies, and never two at once.
        agree = [[(far[free] == frame[free]).mean() for frame in frames] for far in pairs.far[0]]
        best = np.argmax(agree, axis=1)
        assert min(max(row) for row in agree) > 0.8 and (np.diff(best) >= 0).all()


def test_fingerprint_follows_the_recipes(library: Path, clips, recipes) -> None:
    first = RecipePairs(clips, recipes, library, WINDOW).fingerprint
    assert first == RecipePairs(clips, recipes, library, WINDOW).fingerprint
    assert first != RecipePairs(clips, recipes[:-1], library, WINDOW).fingerprint


def test_bad_input_is_named(library: Path, clips, recipes) -> None:
    with pytest.raises(ValueError, match="first \\['clip1'\\]"):
        RecipePairs({"clip0": clips["clip0"]}, recipes, library, WINDOW)
    with pytest.raises(ValueError, match="clip0 has 10 frames"):
        RecipePairs({**clips, "clip0": clips["clip0"][:10]}, recipes, library, WINDOW)
    with pytest.raises(ValueError, match="128x72"):
        RecipePairs({**clips, "clip0": clips["clip0"][:, :50]}, recipes, library, WINDOW)
    with pytest.raises(ValueError, match="needs recipes"):
        RecipePairs(clips, [], library, WINDOW)
