from __future__ import annotations

from g2w.synth.config import ENCODERS, GROUPS, AppearanceGroup, CodecGroup, SynthConfig, TextGroup
from g2w.synth.look import sample_look


def test_one_seed_one_look() -> None:
    config = SynthConfig()
    assert sample_look(5, ["a00", "a01"], 150, config) == sample_look(5, ["a00", "a01"], 150, config)
    looks = [sample_look(seed, ["a00", "a01"], 150, config) for seed in range(300)]
    assert {look["theme"] for look in looks} == {"", "a00", "a01"}
    assert {look["script"] for look in looks} == {"latin", "cyrillic", "arabic", "japanese"}
    assert {look["formation"] for look in looks} == {"", "row", "column", "grid", "mirror"}
    assert all(config.ui_scale[0] <= look["scale"] <= config.ui_scale[1] for look in looks)


def test_without_groups_only_the_base_is_drawn() -> None:
    look = sample_look(5, ["a00"], 150, SynthConfig().without(*GROUPS))
    assert set(look) == {"groups", "theme", "scale", "margin"} and look["groups"] == []


def test_frost_excludes_other_effects() -> None:
    group = AppearanceGroup(frosted_rate=0.5, glow_rate=1, shadow_rate=1, outline_rate=1)
    looks = [sample_look(seed, [], 150, SynthConfig(appearance=group)) for seed in range(60)]
    assert {bool(look["frost"]) for look in looks} == {True, False}
    for look in looks:
        assert set(look["effects"]) == (set() if look["frost"] else {"glow", "shadow", "outline"})


def test_codecs_follow_their_ranges() -> None:
    config = SynthConfig(codec=CodecGroup(rate=1.0), text=TextGroup(localized_rate=0.0))
    codecs = [sample_look(seed, [], 150, config)["codec"] for seed in range(200)]
    assert {codec["encoder"] for codec in codecs} == set(ENCODERS)
    assert all(450 <= codec["kbps"] <= 6000 for codec in codecs)
    assert all(codec["chroma"] == "yuv420p" for codec in codecs if codec["encoder"] == "libsvtav1")
    assert sample_look(1, [], 150, SynthConfig(codec=CodecGroup(rate=0.0)))["codec"] is None
