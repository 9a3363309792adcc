from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av

from g2w.video.decode import Damage, Decoded, decode_all


def run(path: Path) -> tuple[list[Decoded], Damage]:
    damage = Damage()
    with av.open(str(path)) as container:
        return list(decode_all(container, path, damage)), damage


def test_a_good_file_has_exact_times_and_no_damage(base: Path) -> None:
    frames, damage = run(base)
    assert [f.index for f in frames] == list(range(180))
    assert [f.time_s for f in frames] == [Fraction(k, 30) for k in range(180)]
    assert not any(f.broken or f.jump for f in frames)
    assert damage == Damage()


def test_damage_breaks_the_frames_up_to_the_next_keyframe(base: Path, tmp_path: Path, video: SimpleNamespace) -> None:
    data = bytearray(base.read_bytes())
    with av.open(str(base)) as container:
        entries = container.streams.video[0].index_entries
        hurt = entries[75]
    data[hurt.pos + 8 : hurt.pos + hurt.size] = bytes(hurt.size - 8)
    path = tmp_path / "hurt.mp4"
    path.write_bytes(data)
    frames, damage = run(path)
    assert damage.num_errors >= 1 and damage.salvaged and not damage.ended_early
    broken = [f.index for f in frames if f.broken]
    whole = [f for f in frames if not f.broken]
    assert broken and broken[0] >= 60 and len(whole) >= 150
    from g2w.video.read import to_rgb

    # every frame that is called good shows what was stored at its time
    assert all(video.number_of(to_rgb(f.frame)) == round(f.time_s * 30) for f in whole)


def test_times_start_at_zero_and_jumps_are_bridged(video: SimpleNamespace, tmp_path: Path) -> None:
    ticks = [1000 + k for k in (0, 1, 2, 3, 100, 101, 102)]
    frames, damage = run(
        video.encode(
            tmp_path / "gap.mkv",
            [video.picture(i) for i in range(7)],
            ticks=ticks,
            time_base=Fraction(1, 30),
            options={"bf": "0"},
        )
    )
    assert [f.jump for f in frames] == [False] * 4 + [True] + [False] * 2
    assert abs(damage.first_pts_s - 1000 / 30) < 0.01 and damage.num_jumps == 1
    assert [round(float(f.time_s) * 30) for f in frames] == list(range(7))
