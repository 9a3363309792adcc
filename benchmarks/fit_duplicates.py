"""Fit the distance below which two cut-out elements are one: drawings are planted in footage several times and cut again.

Usage: .venv/bin/python benchmarks/fit_duplicates.py INBOX [--copies 3] [--seed 5] [--gallery FOLDER] [--json FILE]

INBOX: folder of recorded episodes (a demo lake's `_inbox`); those of training without a HUD are the ground. Every drawing of
style set a is laid over several of them, at another place, another quality of H.264 and, every third time, another size.
It is cut with boxes as a detector draws them, some pixels off. Pairs of cuts of one drawing are duplicates, pairs of cuts of
two drawings of one class are not; a drawing in another writing system counts as another one. Themes with an even number fit
the threshold, the others say what it is worth.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.draw import Asset, starter_library
from g2w.ui.extract import ExtractConfig, Extraction, extract
from g2w.ui.library import checkerboard
from g2w.ui.similar import describe, distances, merge_similar
from g2w.video.read import iter_frames
from g2w.video.sheet import contact_sheet, save_webp
from g2w.video.write import VideoWriter

FRAMES = 100
CRFS = (18, 28, 23)
SCALES = (0.8, 0.9, 1.15, 1.25)
BOX_ERROR_PX = 3
APART_PX = 34  # so that every element has a ring of bare world
TARGET_PRECISION = 0.99
THRESHOLDS = np.round(np.arange(0.05, 0.6, 0.025), 3)


@dataclass(frozen=True)
class Plant:
    """A drawing to be laid over a video: its name, its picture (h, w, 4) and how often it was planted before."""

    name: str
    cls: str
    theme: str
    picture: np.ndarray
    copy: int


@dataclass
class Scene:
    """One video to be made: quality and placed plants."""

    crf: int
    placed: list[tuple[Plant, int, int]] = field(default_factory=list)

    def fits(self, plant: Plant, x: int, y: int) -> bool:
        """Whether there is room, with bare world around it."""
        height, width = plant.picture.shape[:2]
        return all(
            x + width + APART_PX <= px
            or px + p.picture.shape[1] + APART_PX <= x
            or y + height + APART_PX <= py
            or py + p.picture.shape[0] + APART_PX <= y
            for p, px, py in self.placed
        )


def plants(copies: int, rng: np.random.Generator) -> Iterator[Plant]:
    """Every drawing of set a, several times: a state that shows most of it, every third time in another size."""
    for asset in starter_library("a", 0):
        for copy in range(copies):
            scale = float(rng.choice(SCALES)) if copy % 3 == 2 else 1.0
            yield Plant(asset.source_ref, asset.cls, asset.theme, _picture(asset, scale), copy)


def _picture(asset: Asset, scale: float) -> np.ndarray:
    state = (asset.num_states - 1) * 2 // 3
    picture = asset.pixels[state * asset.height : (state + 1) * asset.height]
    if scale == 1.0:
        return picture
    size = (max(8, round(asset.width * scale)), max(8, round(asset.height * scale)))
    return np.asarray(
        Image.fromarray(picture, "RGBA").convert("RGBa").resize(size, Image.Resampling.LANCZOS).convert("RGBA")
    )


def scenes(items: Sequence[Plant], rng: np.random.Generator) -> list[Scene]:
    """Plants shared out over videos; of one drawing at most one in a video, each copy number at its own quality."""
    found: list[Scene] = []
    for k in rng.permutation(len(items)):
        plant = items[k]
        height, width = plant.picture.shape[:2]
        for scene in found:
            if scene.crf == CRFS[plant.copy % 3] and all(p.name != plant.name for p, _, _ in scene.placed):
                spots = rng.integers((0, 0), (WIDTH - width + 1, HEIGHT - height + 1), (12, 2))
                spot = next(((int(x), int(y)) for x, y in spots if scene.fits(plant, int(x), int(y))), None)
                if spot is not None and len(scene.placed) < 8:
                    scene.placed.append((plant, *spot))
                    break
        else:
            x, y = rng.integers((0, 0), (WIDTH - width + 1, HEIGHT - height + 1))
            found.append(Scene(CRFS[plant.copy % 3], [(plant, int(x), int(y))]))
    return found


def make_video(scene: Scene, ground: Path, start: int, path: Path) -> None:
    """Lay the plants over a piece of footage and encode it."""
    overlays = [
        (p.picture[..., :3].astype(np.float32), p.picture[..., 3:] / np.float32(255)) for p, _, _ in scene.placed
    ]
    with VideoWriter(path, width=WIDTH, height=HEIGHT, crf=scene.crf, preset="veryfast") as writer:
        for frame in iter_frames(ground, start=start, stop=start + FRAMES):
            frame = frame.copy()
            for (_, x, y), (color, alpha) in zip(scene.placed, overlays, strict=True):
                part = frame[y : y + alpha.shape[0], x : x + alpha.shape[1]]
                part[...] = np.rint(color * alpha + part * (1 - alpha))
            writer.write(frame)


def cut(items: Sequence[Scene], grounds: Sequence[Path], rng: np.random.Generator) -> list[Extraction]:
    """Make the videos, cut all plants, and forget the videos."""
    found: list[Extraction] = []
    with tempfile.TemporaryDirectory() as folder:
        for k, scene in enumerate(items):
            path = Path(folder) / "scene.mp4"
            make_video(scene, grounds[k % len(grounds)], FRAMES * int(rng.integers(0, 3)), path)
            rows = [_proposal(f"scene{k}", plant, x, y, rng) for plant, x, y in scene.placed]
            found += extract(rows, {f"scene{k}": path}, ExtractConfig(accept_class=0.0))
    return found


def _proposal(clip_id: str, plant: Plant, x: int, y: int, rng: np.random.Generator) -> dict[str, Any]:
    left, top, right, bottom = (int(v) for v in rng.integers(-BOX_ERROR_PX, BOX_ERROR_PX + 1, 4))
    x0, y0 = max(0, x + left), max(0, y + top)
    x1 = max(x0 + 4, min(WIDTH, x + plant.picture.shape[1] + right))
    y1 = max(y0 + 4, min(HEIGHT, y + plant.picture.shape[0] + bottom))
    # one game a video: what overlaps here in place is no duplicate by place
    known = {
        "clip_id": clip_id,
        "game": clip_id,
        "split": "train",
        "licence": "",
        "anchor": "screen",
        "detector": "plant",
    }
    sure = {"confidence": 1.0, "cls_confidence": 1.0, "first_frame": 0, "last_frame": FRAMES - 1}
    box = {"x": x0, "y": y0, "w": x1 - x0, "h": y1 - y0}
    return {**known, **sure, **box, "cls": plant.cls, "plant": plant.name, "theme": plant.theme, "copy": plant.copy}


@dataclass(frozen=True)
class Pairs:
    """Distances of pairs of cuts of one class, whether they are duplicates, and the class."""

    distance: np.ndarray
    same: np.ndarray
    cls: np.ndarray
    items: list[tuple[Extraction, Extraction]]


def pairs_of(items: Sequence[Extraction]) -> Pairs:
    """All pairs within each class."""
    distance, same, classes, who = [], [], [], []
    for cls in sorted({item.proposal["cls"] for item in items}):
        mine = [item for item in items if item.proposal["cls"] == cls]
        looks = describe([item.asset.pixels for item in mine if item.asset is not None])
        table = distances(looks, looks)
        for a, b in combinations(range(len(mine)), 2):
            distance.append(float(table[a, b]))
            same.append(mine[a].proposal["plant"] == mine[b].proposal["plant"])
            classes.append(cls)
            who.append((mine[a], mine[b]))
    return Pairs(np.array(distance), np.array(same), np.array(classes), who)


def at(pairs: Pairs, threshold: float) -> tuple[float, float, int]:
    """Precision, recall and number of wrong pairs below a threshold."""
    near = pairs.distance < threshold
    right, wrong = int((near & pairs.same).sum()), int((near & ~pairs.same).sum())
    return right / (right + wrong) if right + wrong else 1.0, right / max(int(pairs.same.sum()), 1), wrong


def choose(pairs: Pairs) -> tuple[float, float]:
    """The largest threshold whose precision is enough at it and below it, and the next larger one that fails."""
    for smaller, threshold in pairwise(THRESHOLDS):
        if at(pairs, threshold)[0] < TARGET_PRECISION:
            return float(smaller), float(threshold)
    return float(THRESHOLDS[-1]), float(THRESHOLDS[-1])


def is_fitted(item: Extraction) -> bool:
    """Whether the theme has an even number."""
    return int(_base_theme(item)[1:]) % 2 == 0


def _base_theme(item: Extraction) -> str:
    """ "a07" of "a07:arabic": what the imaginary game is called in any language."""
    return str(item.proposal["theme"].split(":")[0])


def report(cuts: Sequence[Extraction]) -> dict[str, Any]:
    """Print the tables, return them."""
    solved = [item for item in cuts if item.asset is not None]
    print(
        f"{len(solved)} of {len(cuts)} planted elements cut; refused: {dict(Counter(str(i.reason) for i in cuts if i.asset is None))}"
    )
    fitted = pairs_of([item for item in solved if is_fitted(item)])
    fresh = pairs_of([item for item in solved if not is_fitted(item)])
    threshold, fails = choose(fitted)
    print("threshold   fitted: precision recall wrong   fresh: precision recall wrong")
    rows = []
    for value in THRESHOLDS:
        row = [float(value), *at(fitted, value), *at(fresh, value)]
        rows.append(row)
        print("  {:.3f}             {:.3f}   {:.3f}  {:4d}            {:.3f}   {:.3f}  {:4d}".format(*row))
    print(
        f"pairs: fitted {fitted.same.sum()} same, {(~fitted.same).sum()} other; fresh {fresh.same.sum()}, {(~fresh.same).sum()}"
    )
    print(f"chosen {threshold} (precision falls below {TARGET_PRECISION} at {fails})")
    for name, pairs in (("fitted", fitted), ("fresh", fresh)):
        wrong = [pairs.items[k] for k in np.flatnonzero((pairs.distance < threshold) & ~pairs.same)]
        one_theme = sum(len({_base_theme(item) for item in pair}) == 1 for pair in wrong)
        nearest = pairs.distance[~pairs.same].min()
        print(f"{name}: {len(wrong)} wrong pairs, {one_theme} of them of one theme; nearest other at {nearest:.3f}")
    by_class = {}
    for cls in sorted(set(fresh.cls)):
        mine = fresh.cls == cls
        part = Pairs(fresh.distance[mine], fresh.same[mine], fresh.cls[mine], [])
        by_class[cls] = at(part, threshold)
        nearest = part.distance[~part.same].min() if (~part.same).any() else float("nan")
        print(
            f"  {cls:20} precision {by_class[cls][0]:.3f} recall {by_class[cls][1]:.3f}   nearest other {nearest:.3f}"
        )
    for name, group in (("fitted", True), ("fresh", False)):
        mine = [item for item in solved if is_fitted(item) == group]
        merged = merge_similar(mine, ExtractConfig(near_duplicate=threshold))
        left = [item for item in merged if item.asset is not None]
        lost = {item.proposal["plant"] for item in mine} - {item.proposal["plant"] for item in left}
        print(
            f"{name}: {len(mine)} cuts of {len({i.proposal['plant'] for i in mine})} drawings become {len(left)}; lost: {sorted(lost)}"
        )
    return {"threshold": threshold, "fails": fails, "table": rows, "by_class": by_class}


def gallery(path: Path, pairs: Pairs, threshold: float) -> None:
    """The pairs nearest to the threshold on its wrong side: duplicates that are missed, others that are merged."""
    wrong = np.flatnonzero((pairs.distance < threshold) != pairs.same)
    tiles, labels = [], []
    for k in wrong[np.argsort(np.abs(pairs.distance[wrong] - threshold))][:24]:
        sides = [checkerboard(cv2.resize(i.asset.pixels, (300, 160))) for i in pairs.items[k] if i.asset is not None]
        tiles.append(np.concatenate(sides, axis=1))
        labels.append(f"{pairs.distance[k]:.2f} {'missed' if pairs.same[k] else 'merged'} {pairs.cls[k]}")
    if tiles:
        save_webp(path, contact_sheet(tiles, columns=3, tile=(600, 170), labels=labels))


def main() -> None:
    """Plant, cut, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inbox", type=Path)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--gallery", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    cards = [(path, json.loads(path.read_text())) for path in sorted(options.inbox.glob("*.source.json"))]
    grounds = [
        options.inbox / path.name.replace(".source.json", ".mp4")
        for path, card in cards
        if card["hud"] == "none" and card["split"] == "train"
    ]
    cuts = cut(scenes(list(plants(options.copies, rng)), rng), grounds, rng)
    found = report(cuts)
    if options.gallery is not None:
        options.gallery.mkdir(parents=True, exist_ok=True)
        fresh = pairs_of([item for item in cuts if item.asset is not None and not is_fitted(item)])
        gallery(options.gallery / "near_threshold.webp", fresh, found["threshold"])
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
