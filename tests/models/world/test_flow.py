from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.world.flow import fields_to_first, flow_mse, motion_score, temporal_flicker, video_flow


def sliding(step: float, count: int = 5) -> np.ndarray:
    rng = np.random.default_rng(0)
    wall = cv2.GaussianBlur(rng.integers(0, 255, (72, 300)).astype(np.float32), (0, 0), 2.0)
    wall = ((wall - wall.min()) / np.ptp(wall) * 255).astype(np.uint8)
    columns = [np.roll(wall, -round(step * i), axis=1)[:, 80:208] for i in range(count)]
    return np.repeat(np.stack(columns)[..., None], 3, axis=-1)


def test_flow_of_a_known_shift() -> None:
    flow = video_flow(sliding(3))
    assert flow.shape == (4, 72, 128, 2)
    assert abs(np.median(flow[..., 0]) + 3) < 0.2 and abs(np.median(flow[..., 1])) < 0.1


def test_displacements_to_the_first_frame_add_up() -> None:
    fields = fields_to_first(sliding(3))
    assert fields.shape == (4, 2, 72, 128)
    assert np.allclose(np.median(fields[:, 0], axis=(1, 2)), [3, 6, 9, 12], atol=0.6)


def test_flow_mse_is_zero_for_the_same_and_grows_with_the_difference() -> None:
    real = sliding(3)
    assert flow_mse(real, real) == 0.0
    assert abs(flow_mse(sliding(0), real) - 4.5) < 1.0, "9 px^2 in x, 0 in y"
    assert flow_mse(sliding(-3), real) > flow_mse(sliding(0), real)
    with pytest.raises(ValueError, match="different shapes"):
        flow_mse(real[:3], real)


def test_motion_and_flicker() -> None:
    assert motion_score(sliding(4)) > motion_score(sliding(2)) > motion_score(sliding(0)) >= 0
    assert temporal_flicker(sliding(0)) == 0.0 < temporal_flicker(sliding(2))
