"""What cannot be judged is taken out by the data."""

from __future__ import annotations

import numpy as np

from g2w.bench.judge import Scene, SceneElement
from g2w.bench.visibility import Hidden, difference_mask, hidden_reason


def test_reasons(scene: Scene) -> None:
    assert scene.clean is not None
    radar = scene.elements[2]
    assert hidden_reason(scene.clean, scene.source, radar, shown=True) is Hidden.NO
    assert hidden_reason(scene.clean, scene.source, radar, shown=False) is Hidden.NOT_SHOWN
    assert (
        hidden_reason(scene.clean, scene.source, SceneElement("t", "crosshair", (0, 0, 5, 3)), shown=True)
        is Hidden.TINY
    )
    empty = SceneElement("e", "crosshair", (0, 0, 50, 50), np.zeros((50, 50), np.uint8))
    assert hidden_reason(scene.clean, scene.source, empty, shown=True) is Hidden.TINY
    assert (
        hidden_reason(scene.clean, scene.source, SceneElement("f", "watermark", (0, 0, 50, 50)), shown=True)
        is Hidden.FAINT
    )
    haze = np.clip(scene.clean.astype(int) + 4, 0, 255).astype(np.uint8)
    assert hidden_reason(scene.clean, haze, radar, shown=True) is Hidden.NO_EDGES


def test_difference_mask_finds_the_element_and_not_the_noise(scene: Scene) -> None:
    assert scene.clean is not None
    rng = np.random.default_rng(0)
    noisy = np.clip(scene.source + rng.normal(0, 2, scene.source.shape), 0, 255).astype(np.uint8)
    radar = scene.elements[2]
    mask = difference_mask(scene.clean, noisy, [radar.box])
    x, y, w, h = radar.box
    own = mask[y : y + h, x : x + w] > 0
    assert radar.mask is not None
    truth = radar.mask > 0
    assert (own & truth).sum() / (own | truth).sum() > 0.95
    mask[y : y + h, x : x + w] = 0
    assert not mask.any()
