"""`g2w clean` on a real file with sound and a variable frame rate. The remover is untrained: what is tested is the file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from g2w.lineage.canonical import sha256_file
from jobs import clean_video as module
from jobs.cli import app
from models.lite.checkpoint import save_lite
from models.lite.presets import tiny
from models.lite.train import build_segmenter

FRAMES = 70


def record(path: Path, *, size: tuple[int, int] = (320, 180), times: list[int] | None = None) -> None:
    """A moving picture and a tone; `times` are the frames' places in 1/30 s."""
    rng = np.random.default_rng(0)
    wall = rng.integers(0, 255, (size[1], 900, 3), dtype=np.uint8)
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=30)
        video.width, video.height, video.pix_fmt = *size, "yuv420p"
        video.codec_context.time_base = Fraction(1, 30)
        sound = container.add_stream("aac", rate=44_100)
        for index, at in enumerate(times or range(FRAMES)):
            frame = av.VideoFrame.from_ndarray(
                np.ascontiguousarray(wall[:, 5 * index : 5 * index + size[0]]), format="rgb24"
            )
            frame.pts, frame.time_base = at, Fraction(1, 30)
            container.mux(video.encode(frame))
        container.mux(video.encode())
        for start in range(0, 44_100 * 2, 1024):
            wave = np.sin(np.arange(start, start + 1024) * 440 * 2 * np.pi / 44_100).astype(np.float32)[None]
            tone = av.AudioFrame.from_ndarray(wave, format="fltp", layout="mono")
            tone.sample_rate, tone.pts, tone.time_base = 44_100, start, Fraction(1, 44_100)
            container.mux(sound.encode(tone))
        container.mux(sound.encode())


def facts(path: Path) -> dict[str, object]:
    with av.open(str(path)) as container:
        times = [float(frame.time) for frame in container.decode(video=0)]
    with av.open(str(path)) as container:
        packets = [bytes(packet) for packet in container.demux(audio=0) if packet.size]
        rate = container.streams.video[0].average_rate
    return {"times": np.round(np.array(times) - times[0], 3).tolist(), "sound": packets, "rate": rate}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite")
    torch.manual_seed(0)
    config = tiny(num_steps=2)
    save_lite(folder, build_segmenter(config), config, {"num_steps": 0})
    return folder


def test_sound_timing_and_input_are_kept(tmp_path: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOW", 30)
    monkeypatch.setattr(module, "CONTEXT", 5)
    source, out = tmp_path / "in.mp4", tmp_path / "out.mp4"
    record(source)
    before = sha256_file(source)
    done = CliRunner().invoke(app, ["clean", str(source), "-o", str(out), "--checkpoint", str(checkpoint)])
    assert done.exit_code == 0, done.output
    assert sha256_file(source) == before
    assert facts(out) == facts(source)
    assert f"{FRAMES} frames" in done.output


def test_a_variable_frame_rate_stays_variable(tmp_path: Path, checkpoint: Path) -> None:
    source, out = tmp_path / "in.mp4", tmp_path / "out.mp4"
    record(source, times=[i + (i // 10) * 3 for i in range(40)])
    done = CliRunner().invoke(app, ["clean", str(source), "-o", str(out), "--checkpoint", str(checkpoint)])
    assert done.exit_code == 0, done.output
    assert facts(out)["times"] == facts(source)["times"]


def test_what_cannot_be_cleaned_says_why(tmp_path: Path, checkpoint: Path) -> None:
    runner = CliRunner()
    source = tmp_path / "in.mp4"
    record(source)

    def refuse(*arguments: str) -> str:
        done = runner.invoke(app, ["clean", *arguments])
        assert done.exit_code == 1
        return " ".join(done.output.split())

    assert "choose another output" in refuse(str(source), "-o", str(source), "--checkpoint", str(checkpoint))
    assert "URLs are not fetched" in refuse("https://example.com/v.mp4", "-o", str(tmp_path / "o.mp4"))
    assert "unknown system" in refuse(str(source), "-o", str(tmp_path / "o.mp4"), "--system", "magic")
    text = tmp_path / "text.mp4"
    text.write_text("hello")
    assert "cannot be read" in refuse(str(text), "-o", str(tmp_path / "o.mp4"), "--checkpoint", str(checkpoint))
    assert not (tmp_path / "o.mp4").exists()
