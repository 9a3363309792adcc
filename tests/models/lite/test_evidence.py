"""Statistics that tell what stays from what moves."""

from __future__ import annotations

import numpy as np
import pytest

from models.lite.evidence import NUM_CHANNELS, EvidenceConfig, frame_evidence, long_evidence


def test_frames_are_spread_and_kept_inside() -> None:
    config = EvidenceConfig(num_long=5, span=100)
    assert config.long_frames(50, 150) == [60, 80, 100, 120, 140]
    assert config.long_frames(0, 2) == [0, 1]
    assert config.short_frames(2, 150) == [0, 0, 2, 6, 10]
    assert config.short_frames(149, 150) == [141, 145, 149, 149, 149]
    assert set(config.short_frames(0, 1)) == {0}


def test_a_fixed_box_is_steady_and_the_world_is_not(make_world) -> None:
    frames = make_world(1).copy()
    frames[:, 20:50, 30:70] = (200, 30, 30)
    long = long_evidence(frames[::4])
    spread, fixed, moving = long[3:]
    inside = np.s_[24:46, 34:66]
    assert spread[inside].max() == 0 and np.median(spread) > 1
    assert np.allclose(fixed[30, 28:32], moving[30, 28:32], atol=0.35)
    assert np.median(fixed[60:]) < 0.7 * np.median(moving[60:])
    evidence = frame_evidence(frames[8], frames[4:13:2], long, (0, 0), (128, 96))
    assert evidence.shape == (NUM_CHANNELS, 96, 128) and evidence.dtype == np.float32
    assert np.isfinite(evidence).all() and np.abs(evidence).max() < 5


def test_a_crop_knows_where_it_is(make_world) -> None:
    frames = make_world(1)[:, 32:96, 64:128]
    place = frame_evidence(frames[0], frames[:3], long_evidence(frames[:4]), (64, 32), (128, 96))[-2:]
    assert place[0, 0, 0] == pytest.approx(0.0) and place[0, 0, -1] == pytest.approx(63 / 64)
    assert place[1, 0, 0] == pytest.approx(-1 / 3)


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="inner size"):
        EvidenceConfig(width=100)
    with pytest.raises(ValueError, match="short_offsets"):
        EvidenceConfig(short_offsets=(-4, 4))
