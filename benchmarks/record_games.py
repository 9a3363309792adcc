"""Record two games from Debian packages on a virtual screen: clips with real interfaces and no truth.

Needs the packages supertuxkart, minetest, xvfb, xdotool and ffmpeg. Their art is theirs: what is recorded stays out of
the repository and out of every library. Software rendering is slower than real time, so frames are taken at a low rate and
played at 30 a second; a clip is therefore faster than play, and says so in its card.

Usage: .venv/bin/python benchmarks/record_games.py OUT [--games supertuxkart minetest] [--frames 1800] [--rate 10]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from g2w.lineage.lake import write_json

SIZE = "1280x720"
CLIP_FRAMES = 150
MIN_CHANGE = 2.0
"""Mean gray levels between two pictures three seconds apart, by which a game that is played differs."""
STK_CONFIG = """<?xml version="1.0"?>
<stkconfig version="8">
  <Audio sfx_on="false" music_on="false"/>
  <Video enable_texture_compression="false" enable_high_definition_textures="2" enable_dynamic_lights="false"/>
</stkconfig>
"""
MINETEST_CONFIG = """screen_w = 1280
screen_h = 720
enable_sound = false
viewing_range = 60
fps_max = 20
enable_shaders = false
fixed_map_seed = 7
time_speed = 0
world_start_time = 12000
"""


def supertuxkart(home: Path) -> list[str]:
    """Command of a race that drives itself (profile mode), in a small graphics setting."""
    folder = home / ".config" / "supertuxkart" / "config-0.10"
    folder.mkdir(parents=True)
    (folder / "config.xml").write_text(STK_CONFIG)
    options = ["--windowed", f"--screensize={SIZE}", "--profile-time=3600", "--track=snowmountain", "--numkarts=4"]
    return ["/usr/games/supertuxkart", *options, "--no-start-screen", "--seed=7"]


def minetest(home: Path) -> list[str]:
    """Command of a fresh voxel world of a fixed seed."""
    world = home / "worlds" / "w"
    world.mkdir(parents=True)
    (world / "world.mt").write_text("gameid = minetest\nworld_name = w\n")
    (home / "minetest.conf").write_text(MINETEST_CONFIG)
    config = ["--config", str(home / "minetest.conf")]
    return ["/usr/games/minetest", "--go", "--gameid", "minetest", "--world", str(world), *config, "--name", "player"]


def _xdotool(display: str, *arguments: str) -> None:
    subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": display}, check=True, capture_output=True)


def _take_controls(display: str) -> None:
    """Without a window manager no window has the focus: give it to the game, and walk."""
    _xdotool(display, "search", "--sync", "--onlyvisible", "--name", "Minetest", "windowfocus", "--sync")
    _xdotool(display, "mousemove", "640", "360", "click", "1")
    _xdotool(display, "keydown", "w")


def _wander(rng: random.Random, display: str) -> None:
    """One step of a walk: look around, often jump, sometimes change the slot."""
    if rng.random() < 0.4:
        _xdotool(display, "key", rng.choice(["space", "space", *"12345678"]))
    else:
        _xdotool(display, "mousemove_relative", "--", str(rng.randint(-60, 120)), str(rng.randint(-8, 8)))


def _picture(display: str) -> np.ndarray:
    """The screen in gray, uint8 (90, 160)."""
    grab = ["-f", "x11grab", "-draw_mouse", "0", "-video_size", SIZE, "-i", display, "-frames:v", "1"]
    form = ["-vf", "scale=160:90:flags=area", "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    found = subprocess.run(
        ["ffmpeg", "-hide_banner", "-loglevel", "error", *grab, *form], check=True, capture_output=True
    )
    return np.frombuffer(found.stdout, np.uint8).reshape(90, 160)


def _wait_until_it_moves(game: str, display: str, act: Callable[[], None], patience_s: float = 180.0) -> None:
    """A loading screen stands still; play does not.

    Raises:
        RuntimeError: if nothing moves for so long.
    """
    ends, moved, last = time.monotonic() + patience_s, 0, _picture(display)
    while time.monotonic() < ends:
        for _ in range(6):
            act()
            time.sleep(0.5)
        now = _picture(display)
        moved = moved + 1 if float(np.abs(now.astype(int) - last).mean()) > MIN_CHANGE else 0
        if moved == 3:
            return
        last = now
    raise RuntimeError(f"{game} still shows a picture that does not move after {patience_s:.0f} s")


GAMES: dict[str, tuple[Callable[[Path], list[str]], float, bool]] = {
    # command, seconds until its window can be used, needs a player
    "supertuxkart": (supertuxkart, 10.0, False),
    "minetest": (minetest, 30.0, True),
}


@contextmanager
def _running(command: list[str], **options: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def record(game: str, out: Path, frames: int, rate: int, display: str) -> Path:
    """Play and capture one game into `out/<game>.mp4`.

    Raises:
        RuntimeError: if the game ends by itself, or ffmpeg fails.
    """
    command_of, wait_s, needs_player = GAMES[game]
    home, path = out / f".{game}-home", out / f"{game}.mp4"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    quiet = {"SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null", "LIBGL_ALWAYS_SOFTWARE": "1"}
    env = {**os.environ, **quiet, "HOME": str(home), "DISPLAY": display}
    grab = ["-f", "x11grab", "-draw_mouse", "0", "-framerate", str(rate), "-video_size", SIZE, "-i", display]
    encode = ["-frames:v", str(frames), "-vf", f"setpts=N/30/TB,fps=30,crop={SIZE.replace('x', ':')}"]
    codec = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "16", "-pix_fmt", "yuv420p", "-g", "15", "-bf", "0"]
    ffmpeg = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-y", *grab, *encode, *codec, str(path)]
    with _running(["Xvfb", display, "-screen", "0", f"{SIZE}x24"]):
        time.sleep(1.5)
        with _running(command_of(home), env=env) as play:
            time.sleep(wait_s)
            rng = random.Random(7)
            if needs_player:
                _take_controls(display)

            def act() -> None:
                if needs_player:
                    _wander(rng, display)

            _wait_until_it_moves(game, display, act)
            with _running(ffmpeg) as grabber:
                ends = time.monotonic() + 4 * frames / rate + 60
                while grabber.poll() is None:
                    if play.poll() is not None or time.monotonic() > ends:
                        raise RuntimeError(f"{game} ended with status {play.poll()} before {frames} frames were taken")
                    act()
                    time.sleep(0.4)
                if grabber.returncode:
                    raise RuntimeError(
                        f"ffmpeg ended with status {grabber.returncode}; is there a screen at {display}?"
                    )
    shutil.rmtree(home)
    card = {
        "source": "x11grab",
        "game": game,
        "captured_per_s": rate,
        "played_per_s": 30,
        "licence": "not ours",
        "hud": "own",
    }
    write_json(out / f"{game}.source.json", card)
    return path


def cut(path: Path) -> list[Path]:
    """Clips of 150 frames."""
    from g2w.video.read import iter_frames
    from g2w.video.write import VideoWriter

    clips: list[Path] = []
    writer: VideoWriter | None = None
    for index, frame in enumerate(iter_frames(path)):
        if index % CLIP_FRAMES == 0:
            if writer is not None:
                writer.close()
            clips.append(path.with_name(f"{path.stem}-{index // CLIP_FRAMES:02d}.mp4"))
            writer = VideoWriter(clips[-1], width=1280, height=720, preset="veryfast", crf=16)
        if writer is not None:
            writer.write(frame)
    if writer is not None:
        writer.close()
    return clips


def main() -> None:
    """Record, cut, and say what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", nargs="+", choices=sorted(GAMES), default=sorted(GAMES))
    parser.add_argument("--frames", type=int, default=1800)
    parser.add_argument("--rate", type=int, default=10)
    parser.add_argument("--display", default=":91")
    options = parser.parse_args()
    missing = [tool for tool in ("Xvfb", "xdotool", "ffmpeg") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)} (apt-get install xvfb xdotool ffmpeg supertuxkart minetest)")
    options.out.mkdir(parents=True, exist_ok=True)
    for game in options.games:
        path = record(game, options.out.resolve(), options.frames, options.rate, options.display)
        print(f"{game}: {len(cut(path))} clips from {path}")


if __name__ == "__main__":
    main()
