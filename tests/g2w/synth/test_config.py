from __future__ import annotations

from typing import Any

import pytest

from g2w.synth.config import (
    GROUPS,
    AppearanceGroup,
    CodecGroup,
    LayoutGroup,
    MotionGroup,
    StreamGroup,
    SynthConfig,
    TextGroup,
)


def test_groups_switch_by_name() -> None:
    config = SynthConfig()
    assert config.groups == GROUPS and all(config.has(name) for name in GROUPS)
    less = config.without("motion", "codec")
    assert less.groups == ("layout", "appearance", "text", "stream") and not less.has("motion")
    assert config.without(*GROUPS).groups == ()
    with pytest.raises(ValueError, match="weather"):
        config.without("weather")
    with pytest.raises(ValueError, match="weather"):
        config.has("weather")


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        (SynthConfig, {"groups": ("motion", "motion")}, "at most once"),
        (SynthConfig, {"opacity": (0.0, 1.0)}, "opacity"),
        (LayoutGroup, {"formations": (("circle", 1.0),)}, "formations"),
        (LayoutGroup, {"gap_px": (9, 3)}, "gap_px"),
        (LayoutGroup, {"feed_push_frames": 0}, "feed_push_frames"),
        (AppearanceGroup, {"glow_rate": 1.2}, "glow_rate is 1.2"),
        (AppearanceGroup, {"frost_radius_px": (0, 4)}, "frost_radius_px"),
        (AppearanceGroup, {"faint_opacity": (0.9, 0.3)}, "faint_opacity"),
        (TextGroup, {"scripts": ()}, "scripts"),
        (StreamGroup, {"overlay_fps": (0, 4)}, "overlay_fps"),
        (StreamGroup, {"watermark_opacity": (0.3, 1.2)}, "watermark_opacity"),
        (MotionGroup, {"slow_fps": ()}, "slow_fps"),
        (CodecGroup, {"encoders": (("libx264", 0.0),)}, "encoders"),
        (CodecGroup, {"kbps": (10, 100)}, "kbps"),
    ],
)
def test_bad_knobs_are_named(kind: type, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**changes)
