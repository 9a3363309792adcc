"""How alike two elements look, whatever their size, and the merging of those that look the same.

The same element cut out of two clips differs by what the world left in its alpha, by compression, by some pixels of its box
and, in another resolution or interface scale, by its size. What it keeps is where it has which color, and its proportions: a
coarse grid of color, over what is visible of the picture. Where "visible" begins is not the same in two mattes of different
cleanness; so a picture is framed in three ways, and the two framings that fit best are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from g2w.ui.draw import Asset
from g2w.ui.extract import ExtractConfig, Extraction, ExtractReason

GRID = 12
"""Cells along either side of the grid on which pictures are compared."""
FRAMINGS = (0.15, 0.25, 0.35)
"""Rows and columns count as visible from these shares of the most visible one's mean alpha on."""
COLOR_WEIGHT = 0.9
"""The rest is alpha's weight: premultiplied color holds most of alpha, and alpha is what mattes get wrong."""


@dataclass(frozen=True)
class Looks:
    """Descriptors of n pictures in F framings: `cells` float32 (n, F, GRID * GRID, 4), premultiplied color and alpha in
    0..1; `log_aspect` float32 (n, F), natural logarithm of width over height."""

    cells: np.ndarray
    log_aspect: np.ndarray


def describe(pictures: Sequence[np.ndarray]) -> Looks:
    """Descriptors of pictures, uint8 (h, w, 4) with straight alpha each; of an element with states, one state.

    Raises:
        ValueError: for a picture on which nothing is visible.
    """
    cells = np.zeros((len(pictures), len(FRAMINGS), GRID * GRID, 4), np.float32)
    log_aspect = np.zeros((len(pictures), len(FRAMINGS)), np.float32)
    for n, picture in enumerate(pictures):
        rgba = picture.astype(np.float32) / 255
        rgba[..., :3] *= rgba[..., 3:]
        for f, share in enumerate(FRAMINGS):
            (y0, y1), (x0, x1) = (_visible(rgba[..., 3].mean(axis=axis), share) for axis in (1, 0))
            part = rgba[y0:y1, x0:x1]
            rows, columns = area_weights(y1 - y0), area_weights(x1 - x0)
            cells[n, f] = np.einsum("iy,yxc,jx->ijc", rows, part, columns, optimize=True).reshape(-1, 4)
            log_aspect[n, f] = np.log((x1 - x0) / (y1 - y0))
    return Looks(cells, log_aspect)


def _visible(profile: np.ndarray, share: float) -> tuple[int, int]:
    if not profile.any():
        raise ValueError("a picture without a visible pixel has no look")
    where = np.flatnonzero(profile >= share * profile.max())
    return int(where[0]), int(where[-1]) + 1


def area_weights(length: int) -> np.ndarray:
    """Share of each of `length` pixels in the mean of each of GRID equal cells, float32 (GRID, length). Exact for pictures
    smaller than the grid, too."""
    edges = np.linspace(0, length, GRID + 1)
    pixel = np.arange(length)
    overlap = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    return (np.clip(overlap, 0, None) * (GRID / length)).astype(np.float32)


def distances(looks: Looks, others: Looks) -> np.ndarray:
    """Distances of every picture of `looks` to every one of `others`, float32 (n, m), 0 for equal looks.

    Cells differ relative to what is there, so that thin elements count like full ones: about 1.4 for two pictures that have
    nothing in common. The logarithm of the proportions' ratio adds to it like the other leg of a right triangle.
    """
    best = np.full((len(looks.cells), len(others.cells)), np.inf, np.float32)
    for a in range(len(FRAMINGS)):
        for b in range(len(FRAMINGS)):
            mine, theirs = looks.cells[:, a], others.cells[:, b]
            color, alpha = (_relative(mine[..., part], theirs[..., part]) for part in (np.s_[:3], np.s_[3:]))
            aspect = looks.log_aspect[:, a, None] - others.log_aspect[None, :, b]
            squares = COLOR_WEIGHT * color + (1 - COLOR_WEIGHT) * alpha + aspect**2
            best = np.minimum(best, squares)
    return np.sqrt(best)


def _relative(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared differences over the mean of both squared lengths, (n, m), of (n, ...) and (m, ...)."""
    a, b = a.reshape(len(a), GRID * GRID * a.shape[-1]), b.reshape(len(b), GRID * GRID * b.shape[-1])
    total = np.einsum("nd,nd->n", a, a)[:, None] + np.einsum("md,md->m", b, b)[None]
    return np.asarray(2 * np.maximum(total - 2 * a @ b.T, 0) / np.maximum(total, 1e-6))


def merge_similar(items: Sequence[Extraction], config: ExtractConfig) -> list[Extraction]:
    """Of cut elements of one class that look the same one stays; the others are `near_duplicate` of it, without picture.

    What a person accepted stays before what was accepted automatically, and that before what waits for review; then the
    more confident, the larger one, and the lower id. No chains: each is compared with those that stay, not with those that
    went. Only what was cut goes through here: drawings differ by design.
    """
    by_class: dict[str, list[int]] = {}
    for k, item in enumerate(items):
        if item.asset is not None:
            by_class.setdefault(item.asset.cls, []).append(k)
    merged: dict[int, Extraction] = {}
    renamed: dict[str, str] = {}
    for mine in by_class.values():
        for k, same in _stand_ins([(k, items[k]) for k in mine], config.near_duplicate).items():
            merged[k] = Extraction(items[k].proposal, "rejected", ExtractReason.NEAR_DUPLICATE, None, same)
            renamed[_asset(items[k]).asset_id] = same
    # what was a duplicate of one that went is a duplicate of the one that stands for it
    return [
        merged[k]
        if k in merged
        else replace(item, duplicate_of=renamed.get(item.duplicate_of or "", item.duplicate_of))
        for k, item in enumerate(items)
    ]


def _stand_ins(entries: Sequence[tuple[int, Extraction]], nearer_than: float) -> dict[int, str]:
    """Which of the numbered elements of one class go, and the id of the asset that stands for each."""
    ranked = sorted(entries, key=lambda entry: _preference(entry[1]))
    assets = [_asset(item) for _, item in ranked]
    looks = describe([asset.pixels[: asset.height] for asset in assets])
    table = distances(looks, looks)
    stay: list[int] = []
    gone: dict[int, str] = {}
    for rank, (number, _) in enumerate(ranked):
        nearest = min(stay, key=lambda other: table[rank, other], default=None)
        if nearest is not None and table[rank, nearest] < nearer_than:
            gone[number] = assets[nearest].asset_id
        else:
            stay.append(rank)
    return gone


def _preference(item: Extraction) -> tuple[bool, bool, float, int, str]:
    asset, by_person = _asset(item), item.proposal.get("review") == "accepted"
    return not by_person, item.verdict != "accepted", -asset.confidence, -asset.width * asset.height, asset.asset_id


def _asset(item: Extraction) -> Asset:
    assert item.asset is not None
    return item.asset
