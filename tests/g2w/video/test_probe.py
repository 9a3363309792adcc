"""Verdicts on bad input. The cases are those of the project's bad-input list, made here with PyAV."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
import numpy as np
import pyarrow as pa
import pytest

from g2w.video.probe import SCHEMA, ProbeConfig, crashed_row, mark_duplicates, probe_file


def verdict(path: Path) -> tuple[str, str | None]:
    row = probe_file(path)
    assert set(row) == set(SCHEMA.names)
    pa.Table.from_pylist([row], schema=SCHEMA)
    return row["verdict"], row["reason"]


def test_facts_of_a_good_file(base: Path) -> None:
    row = probe_file(base)
    expected = {
        "verdict": "ok",
        "reason": None,
        "codec": "h264",
        "width": 320,
        "height": 180,
        "fps": "30",
        "num_frames": 180,
        "duration_s": 6.0,
        "is_vfr": False,
        "rotation": 0,
        "sar": "1",
        "pix_fmt": "yuv420p",
        "num_keyframes": 6,
        "has_audio": False,
        "is_hdr": False,
        "is_interlaced": False,
        "split": "wild",
        "game": "unknown/base",
        "actions_file": None,
        "header_frames": 180,
        "first_pts_s": 0.0,
    }
    assert {key: row[key] for key in expected} == expected
    assert json.loads(row["shots"]) == [[0, 180]] and row["size_bytes"] == base.stat().st_size
    assert row == probe_file(base)


def test_files_that_are_no_video(base: Path, tmp_path: Path) -> None:
    data = base.read_bytes()
    (tmp_path / "zero.mp4").write_bytes(b"")
    (tmp_path / "text.mp4").write_text("hello")
    start = data.index(b"moov") - 4
    length = int.from_bytes(data[start : start + 4], "big")
    (tmp_path / "no_index.mp4").write_bytes(data[:start] + data[start + length :])
    (tmp_path / "cut.mp4").write_bytes(data[: start + length // 2])
    with av.open(str(tmp_path / "sound.mp4"), "w") as out:
        stream = out.add_stream("aac", rate=48_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate, frame.pts = 48_000, 0
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    found = {name: verdict(tmp_path / f"{name}.mp4") for name in ("zero", "text", "no_index", "cut", "sound", "absent")}
    reasons = {
        "zero": "empty",
        "text": "not_media",
        "no_index": "no_index",
        "cut": "no_index",
        "sound": "no_video",
        "absent": "missing",
    }
    assert found == {name: ("rejected", reason) for name, reason in reasons.items()}


def test_a_truncated_file_is_partial_up_to_the_damage(base: Path, tmp_path: Path) -> None:
    data = base.read_bytes()
    path = tmp_path / "truncated.mp4"
    path.write_bytes(data[: len(data) * 6 // 10])
    row = probe_file(path)
    assert (row["verdict"], row["reason"]) == ("partial", "truncated")
    assert row["header_frames"] == 180
    (run,) = json.loads(row["shots"])
    assert run[0] == 0 and 60 < run[1] < 130 and run[1] <= row["num_frames"]


def test_a_file_cut_between_two_packets_is_truncated_too(base: Path, tmp_path: Path) -> None:
    with av.open(str(base)) as container:
        entry = container.streams.video[0].index_entries[100]
    path = tmp_path / "cut.mp4"
    path.write_bytes(base.read_bytes()[: entry.pos + entry.size])
    row = probe_file(path)
    assert (row["verdict"], row["reason"]) == ("partial", "truncated") and row["num_frames"] < 180


def test_damage_in_the_middle_leaves_both_sides(base: Path, tmp_path: Path) -> None:
    data = bytearray(base.read_bytes())
    with av.open(str(base)) as container:
        entry = container.streams.video[0].index_entries[70]
    data[entry.pos + 8 : entry.pos + entry.size] = np.random.default_rng(0).bytes(entry.size - 8)
    path = tmp_path / "corrupt.mp4"
    path.write_bytes(data)
    row = probe_file(path)
    assert (row["verdict"], row["reason"]) == ("partial", "corrupt") and row["num_errors"] >= 1
    first, second = json.loads(row["shots"])
    assert first[0] == 0 and first[1] <= 72 and second[1] == row["num_frames"] and second[1] - second[0] >= 60


def test_frame_rates_are_told_by_decoded_times(video: SimpleNamespace, tmp_path: Path) -> None:
    frames = [video.picture(i) for i in range(60)]
    mkv = probe_file(video.encode(tmp_path / "ms.mkv", frames))
    assert (mkv["is_vfr"], mkv["fps"], mkv["num_frames"], mkv["header_frames"]) == (False, "30", 60, 0)
    ntsc = probe_file(video.encode(tmp_path / "ntsc.mp4", frames, fps=Fraction(60_000, 1001)))
    assert (ntsc["is_vfr"], ntsc["fps"]) == (False, "60000/1001")
    ticks = [k for k in range(90) if not (30 <= k < 60)]
    gap = probe_file(video.encode(tmp_path / "gap.mp4", frames, ticks=ticks, time_base=Fraction(1, 30)))
    assert (gap["verdict"], gap["is_vfr"], gap["fps"]) == ("repaired", True, "30")
    drops = [k for k in range(90) if k % 3 or not 40 <= k <= 80]
    vfr = probe_file(
        video.encode(
            tmp_path / "vfr.mp4",
            frames[:1] * 0 + [video.picture(k) for k in drops],
            ticks=drops,
            time_base=Fraction(1, 30),
        )
    )
    assert (vfr["verdict"], vfr["is_vfr"], vfr["fps"], vfr["duration_s"]) == ("ok", True, "30", 3.0)


def test_pixels_are_made_square_and_upright(video: SimpleNamespace, tmp_path: Path) -> None:
    tall = [video.picture(i, (180, 320)) for i in range(40)]
    row = probe_file(video.encode(tmp_path / "sar.mp4", tall, sar=Fraction(16, 9)))
    assert (row["width"], row["height"], row["sar"], row["verdict"]) == (320, 320, "16/9", "ok")
    row = probe_file(video.encode(tmp_path / "turned.mp4", tall, rotation=90))
    assert (row["width"], row["height"], row["rotation"]) == (320, 180, 90)


def test_pictures_that_are_no_footage(video: SimpleNamespace, tmp_path: Path) -> None:
    black = np.zeros((180, 320, 3), np.uint8)
    cases = {"black": [black] * 60, "frozen": [video.picture(3)] * 60, "short": [video.picture(i) for i in range(5)]}
    for reason, frames in cases.items():
        assert verdict(video.encode(tmp_path / f"{reason}.mp4", frames)) == ("rejected", reason)
    hdr = video.encode(
        tmp_path / "hdr.mp4",
        [video.picture(i) for i in range(40)],
        options={"x264-params": "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"},
    )
    assert verdict(hdr) == ("rejected", "hdr") and probe_file(hdr)["is_hdr"]


def test_a_change_of_size_splits(video: SimpleNamespace, tmp_path: Path) -> None:
    parts = [
        video.encode(tmp_path / f"{name}.ts", [video.picture(i, size) for i in range(45)])
        for name, size in (("a", (320, 180)), ("b", (640, 360)))
    ]
    joined = tmp_path / "joined.ts"
    joined.write_bytes(b"".join(part.read_bytes() for part in parts))
    row = probe_file(joined)
    assert (row["verdict"], row["reason"], json.loads(row["shots"])) == (
        "repaired",
        "discontinuity",
        [[0, 45], [45, 90]],
    )


def test_names_and_extensions_are_data(base: Path, tmp_path: Path) -> None:
    odd = tmp_path / "游戏 ü 100%_🎮 [x].v1.txt"
    odd.write_bytes(base.read_bytes())
    row = probe_file(odd)
    assert (row["verdict"], row["name"], row["num_frames"]) == ("ok", odd.name, 180)
    twice = mark_duplicates([probe_file(base), row])
    assert [(r["verdict"], r["reason"], r["duplicate_of"]) for r in twice] == [
        ("ok", None, None),
        ("rejected", "duplicate_of", "base.mp4"),
    ]


def test_what_cannot_be_opened_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.mp4").mkdir()
    assert verdict(tmp_path / "folder.mp4") == ("rejected", "unreadable")


def test_crashed_row_and_config(tmp_path: Path) -> None:
    row = crashed_row(tmp_path / "x.mp4", "ab", 3)
    assert (row["verdict"], row["reason"], row["sha256"], set(row)) == ("rejected", "crashed", "ab", set(SCHEMA.names))
    with pytest.raises(ValueError, match="max_bad_share"):
        ProbeConfig(max_bad_share=0)


@pytest.mark.slow
def test_every_codec_that_is_met(video: SimpleNamespace, tmp_path: Path) -> None:
    frames = [video.picture(i) for i in range(60)]
    odd = [frame[:179, :319] for frame in (video.picture(i) for i in range(60))]
    cases = {
        "old.avi": (frames, {"codec": "mpeg4"}),
        "rgb.mp4": (frames, {"codec": "libx264rgb", "pix_fmt": "rgb24", "options": {"crf": "0"}}),
        "odd444.mp4": (odd, {"pix_fmt": "yuv444p"}),
        "odd420.mkv": (odd, {"codec": "ffv1"}),
        "huge_gop.mp4": ([video.picture(i) for i in range(600)], {"options": {"g": "600", "sc_threshold": "0"}}),
        "fragments.mp4": (frames, {"container": {"movflags": "frag_keyframe+empty_moov"}}),
        "fast.mp4": ([video.picture(i) for i in range(240)], {"fps": 120}),
        "fields.mp4": (frames, {"options": {"flags": "+ildct+ilme", "x264-params": "tff=1"}}),
        "late.mp4": (frames, {"ticks": range(375, 435), "time_base": Fraction(1, 30)}),
    }
    for name, (pictures, settings) in cases.items():
        row = probe_file(video.encode(tmp_path / name, pictures, **settings))
        assert (row["verdict"], row["num_frames"]) == ("ok", len(pictures)), name
        if name == "fields.mp4":
            assert row["is_interlaced"]
        if name == "late.mp4":
            assert row["first_pts_s"] == pytest.approx(12.5, abs=0.1) and row["duration_s"] == pytest.approx(2.0)
