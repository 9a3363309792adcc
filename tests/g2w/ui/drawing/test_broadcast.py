from __future__ import annotations

import random

import numpy as np

from g2w.ui.drawing.broadcast import NUM_FRAMES, scenery, visualizer
from g2w.ui.drawing.style import theme


def test_scenes_move_and_loop() -> None:
    for draw in (scenery, visualizer):
        frames = draw(theme("a", 0, 3), random.Random(1))
        assert len(frames) == NUM_FRAMES and len({frame.tobytes() for frame in frames}) > NUM_FRAMES // 2
        steps = [np.abs(a.astype(int) - b).mean() for a, b in zip(frames, [*frames[1:], frames[0]], strict=True)]
        assert steps[-1] < 2 * max(steps[:-1])  # from the last to the first is a step like any other


def test_scenery_is_opaque_and_music_is_not() -> None:
    look = theme("b", 0, 1)
    assert (scenery(look, random.Random(0))[0][5:-5, 5:-5, 3] == 255).all()
    assert (visualizer(look, random.Random(0))[0][..., 3] == 0).any()
