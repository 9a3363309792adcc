"""Measure the built-in detector and the matting on recorded twins and on synthetic pairs, and look at what went wrong.

Usage: .venv/bin/python benchmarks/bench_detect.py INBOX [--pairs 24] [--clips VIDEO ...] [--gallery FOLDER] [--json FILE]

INBOX: folder of recorded episodes (a demo lake's `_inbox`). Twins of style set a were looked at while the thresholds were
chosen. Synthetic pairs are drawn on its clean episodes without a HUD, with drawings of set b. `--clips`: videos of
`record_games.py`, measured against boxes that a person read off the picture where there are some, else counts and pictures
only. A real MLLM is not here: its precision is unavailable.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow.parquet as pq

from g2w.synth.recipe import sample_recipes
from g2w.synth.render import PairRenderer
from g2w.ui.detect import BuiltinDetector
from g2w.ui.draw import starter_library
from g2w.ui.evaluate import Match, Rate, by_class, by_size, match, rate, true_elements
from g2w.ui.evaluate_matte import REGIONS, alpha_errors, alpha_from_renderings, mean_errors
from g2w.ui.extract import ExtractConfig, solve_clip
from g2w.ui.library import read_library, write_library
from g2w.ui.matting import crop_box, solve_with_twin
from g2w.video.read import iter_frames, read_frames
from g2w.video.sheet import contact_sheet, save_webp
from g2w.video.write import VideoWriter

FRAMES = 150
CONFIDENT = 0.6
"""As the library asks for before it accepts a proposal by itself."""
DESIGNED = Path(__file__).with_name("designed_boxes.json")


@dataclass(frozen=True)
class Case:
    """A clip with its true elements. `alphas`: true alpha of the box of each element, None where it is not known."""

    name: str
    group: str
    path: Path
    truth: list[dict[str, Any]]
    alphas: list[np.ndarray | None]


def twins(inbox: Path) -> Iterator[Case]:
    """Recorded episodes with a HUD; alpha by least squares where the clean half is there."""
    for table in sorted(inbox.glob("*.elements.parquet")):
        name = table.name.removesuffix(".elements.parquet")
        rows = pq.read_table(table).to_pylist()
        truth = true_elements(rows, 0, max(row["frame_index"] for row in rows))
        path, clean = inbox / f"{name}.mp4", inbox / f"{name}-clean.mp4"
        card = json.loads((inbox / f"{name}.source.json").read_text())
        alphas = _twin_alphas(path, clean, truth) if clean.exists() else [None] * len(truth)
        yield Case(name, f"twins {card['hud'][0]}", path, truth, alphas)


def _twin_alphas(path: Path, clean: Path, truth: Sequence[Mapping[str, Any]]) -> list[np.ndarray | None]:
    stacks: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in truth]
    for index, (a, b) in enumerate(zip(iter_frames(path), iter_frames(clean), strict=True)):
        if index % 3 == 0 and index < FRAMES:
            for stack, box in zip(stacks, truth, strict=True):
                x0, y0, x1, y1 = crop_box((box["x"], box["y"], box["w"], box["h"]), 0, (1280, 720))
                stack.append((a[y0:y1, x0:x1].copy(), b[y0:y1, x0:x1].copy()))
    solved: list[np.ndarray | None] = []
    for stack, box in zip(stacks, truth, strict=True):
        rgba = solve_with_twin(np.stack([a for a, _ in stack]), np.stack([b for _, b in stack]))
        solved.append(None if box["transient"] else rgba[..., 3].astype(np.float32) / 255)
    return solved


def synthetic(inbox: Path, folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Pairs on clean episodes: other classes, translucent plates, pop-ups. The alpha is exact; moving ones have none."""
    clips = {}
    for card_path in sorted(inbox.glob("*.source.json")):
        card = json.loads(card_path.read_text())
        if card["hud"] == "none" and card["wad"] == "freedoom2":
            name = card_path.name.removesuffix(".source.json")
            clips[name] = {"clip_id": name, "game": card["game"], "split": "bench", "num_frames": FRAMES}
    write_library(starter_library("b", seed, num_variants=4), folder / "library")
    rows = sample_recipes(list(clips.values()), read_library(folder / "library"), count=count, seed=seed, split="bench")
    for row in rows:
        renderer, boxes = PairRenderer(folder / "library", row), list[dict[str, Any]]()
        path = folder / f"{row['pair_id']}.mp4"
        with VideoWriter(path, width=1280, height=720, crf=18, preset="ultrafast") as writer:
            for i, clean in enumerate(iter_frames(inbox / f"{row['clip_id']}.mp4", stop=FRAMES)):
                writer.write(renderer.frame(i, clean)[0])
                boxes += [{"frame_index": i, **box} for box in renderer.boxes(i)]
        truth = true_elements(boxes, 0, FRAMES - 1)
        yield Case(row["pair_id"], "synthetic b", path, truth, _exact_alphas(renderer, truth))


def _exact_alphas(renderer: PairRenderer, truth: Sequence[Mapping[str, Any]]) -> list[np.ndarray | None]:
    """Alpha that stays through the clip, within a gray level; else None. Where a backdrop is blurred it is not alpha
    alone that acts: such elements are judged like the others."""
    alphas = []
    for i in (0, FRAMES // 2, FRAMES - 1):
        black, white = (renderer.frame(i, np.full((720, 1280, 3), v, np.uint8))[0] for v in (0, 255))
        alphas.append(alpha_from_renderings(black, white))
    found: list[np.ndarray | None] = []
    for box in truth:
        parts = [a[box["y"] : box["y"] + box["h"], box["x"] : box["x"] + box["w"]] for a in alphas]
        still = max(float(np.abs(part - parts[0]).mean()) for part in parts) < 0.01
        found.append(parts[0] if still and not box["transient"] else None)
    return found


def designed(clips: Sequence[Path]) -> Iterator[Case]:
    """Clips of games whose boxes a person read off the picture (`designed_boxes.json`); their alpha is not known."""
    games = json.loads(DESIGNED.read_text())
    for path in clips:
        game = path.stem.rsplit("-", 1)[0]
        boxes = games.get(path.stem, games.get(game))
        if boxes is not None:
            truth = [{**box, "transient": False} for box in boxes]
            yield Case(path.stem, f"designed {game}", path, truth, [None] * len(truth))


def solve_mattes(case: Case) -> tuple[list[dict[str, tuple[float, int]]], Counter[str]]:
    """Alpha errors of the elements whose true alpha is known and which were solved, from true boxes; and all fates."""
    config = ExtractConfig(grow_px=0)
    rows = [{**box, "first_frame": 0, "last_frame": FRAMES - 1} for box in case.truth]
    errors, fates = [], Counter[str]()
    for matte, truth in zip(solve_clip(case.path, rows, rows, config), case.alphas, strict=True):
        if truth is None:
            continue
        fates["solved" if matte.rgba is not None else str(matte.reason)] += 1
        if matte.rgba is not None:
            errors.append(alpha_errors(matte.rgba[..., 3].astype(np.float32) / 255, truth))
    return errors, fates


def draw(case_path: Path, boxes: Iterable[tuple[Mapping[str, Any], str]]) -> np.ndarray:
    """The middle frame with boxes in a color."""
    frame = read_frames(case_path, start=75, stop=76)[0].copy()
    colors = {"hit": (80, 220, 80), "miss": (255, 60, 60), "alarm": (255, 200, 0)}
    for box, kind in boxes:
        corner = (box["x"] + box["w"], box["y"] + box["h"])
        cv2.rectangle(frame, (box["x"], box["y"]), corner, colors[kind], 3)
        spot = (box["x"] + 2, max(14, box["y"] - 5))
        cv2.putText(frame, f"{kind} {box['cls']}", spot, cv2.FONT_HERSHEY_SIMPLEX, 0.5, colors[kind], 2)
    return frame


def gallery(path: Path, items: Sequence[tuple[Path, list[tuple[Mapping[str, Any], str]]]]) -> None:
    """One contact sheet of the clips in which something went wrong (or of all, for clips without truth)."""
    if items:
        pictures = [draw(clip, boxes) for clip, boxes in items[:24]]
        save_webp(path, contact_sheet(pictures, columns=3, tile=(640, 360), labels=[c.stem for c, _ in items[:24]]))


def _failures(
    cases: Sequence[Case], matches: Sequence[Match]
) -> list[tuple[Path, list[tuple[Mapping[str, Any], str]]]]:
    return [
        (
            case.path,
            [(m.truth[t], "miss") for t in m.misses]
            + [(m.proposals[p], "alarm") for p in m.alarms]
            + [(m.proposals[p], "hit") for p, _ in m.pairs],
        )
        for case, m in zip(cases, matches, strict=True)
        if m.misses or m.alarms
    ]


def _line(label: str, r: Rate) -> str:
    def share(value: float | None) -> str:
        return "   -  " if value is None else f"{value:6.3f}"

    return (
        f"  {label:22} recall {share(r.recall)} ({r.hits}/{r.truth})   precision {share(r.precision)} "
        f"({r.true_proposals}/{r.proposals})   class {share(r.class_accuracy)}"
    )


def bootstrap(matches: Sequence[Match], replicates: int = 1000) -> dict[str, list[float]]:
    """Percentile intervals of recall and precision, clips drawn with replacement; few clips make them rough."""
    rng = np.random.default_rng(0)
    hits, truth, proposals = (
        np.array(column)
        for column in zip(*((len(m.pairs), len(m.truth), len(m.proposals)) for m in matches), strict=True)
    )
    picks = rng.integers(0, len(matches), (replicates, len(matches)))

    def interval(total: np.ndarray) -> list[float]:
        rates = hits[picks].sum(axis=1) / np.maximum(total[picks].sum(axis=1), 1)
        return [round(float(q), 3) for q in np.quantile(rates, (0.025, 0.975))]

    return {"recall": interval(truth), "precision": interval(proposals)}


def report(cases: Sequence[Case], matches: Sequence[Match], found: dict[str, Any]) -> None:
    """Print one group and note it in `found`."""
    group, total = cases[0].group, rate(matches)
    print(f"{group}: {len(cases)} clips")
    print(_line("all", total))
    sure = rate([match([p for p in m.proposals if p["confidence"] >= CONFIDENT], m.truth) for m in matches])
    print(_line(f"confidence >= {CONFIDENT}", sure))
    for label, part in [*by_size(matches).items(), *by_class(matches).items()]:
        print(_line(label, part))
    spread = bootstrap(matches)
    print(f"  95 % interval over clips: recall {spread['recall']}, precision {spread['precision']}")
    solved = [solve_mattes(case) for case in cases]
    means = mean_errors(e for errors, _ in solved for e in errors)
    fates = sum((fates for _, fates in solved), Counter[str]())
    if fates:
        print("  matting of true boxes:", dict(sorted(fates.items())))
        for name in (*REGIONS, "visible"):
            value, count = means[name]
            print(f"    alpha error {name:12} {'-' if value is None else f'{value:.4f}'}   {count} pixels")
    found[group] = {
        "clips": len(cases),
        "detector": {"recall": total.recall, "precision": total.precision, "class_accuracy": total.class_accuracy},
        "interval_95": spread,
        "confident": {"recall": sure.recall, "precision": sure.precision},
        "counts": [total.hits, total.truth, total.true_proposals, total.proposals],
        "matting": {"fates": dict(fates), "alpha_error": means},
    }


def main() -> None:
    """Measure, print, and write the galleries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inbox", type=Path)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--clips", type=Path, nargs="*", default=[])
    parser.add_argument("--gallery", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    detector, found = BuiltinDetector(), dict[str, Any]()
    print(f"{detector.identity.label}; mllm-detector: unavailable, no model is installed here")
    with tempfile.TemporaryDirectory() as name:
        pairs = synthetic(options.inbox, Path(name), options.pairs, options.seed) if options.pairs else ()
        everything = [*twins(options.inbox), *pairs, *designed(options.clips)]
        for group in sorted({case.group for case in everything}):
            cases = [case for case in everything if case.group == group]
            matches = [match(detector.propose(case.path), case.truth) for case in cases]
            report(cases, matches, found)
            if options.gallery is not None:
                gallery(options.gallery / f"{group.replace(' ', '_')}.webp", _failures(cases, matches))
    wild = [(path, [(row, "hit") for row in detector.propose(path)]) for path in options.clips]
    for path, boxes in wild:
        print(
            f"{path.stem}: {len(boxes)} proposals: {', '.join(sorted(str(box['cls']) for box, _ in boxes)) or 'none'}"
        )
    if options.gallery is not None:
        gallery(options.gallery / "no_truth.webp", wild)
    if options.json is not None:
        options.json.write_text(json.dumps({"detector": detector.identity.label, **found}, indent=1))


if __name__ == "__main__":
    main()
