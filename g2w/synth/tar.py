"""Rendered pairs as WebDataset shards: plain tar files, one sample per pair, the same bytes for the same pairs."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from g2w.lineage.canonical import canonical_json

KINDS = ("ui", "masks", "boxes")


def write_shards(
    rows: Sequence[Mapping[str, Any]],
    recipes: Mapping[str, Mapping[str, Any]],
    folder: str | Path,
    out: str | Path,
    *,
    shard_bytes: int = 256 * 2**20,
    clips: Mapping[str, str | Path] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Write `pairs-000000.tar`, ... into `out`, in the order of the rows; each appears whole or not at all.

    A sample holds `<pair_id>` .ui.mp4, .masks.parquet, .boxes.parquet and .json (the row and its `recipe`). The clean
    side stays a reference, `clip_id` from `start_frame` on, unless `clips` is given.

    Args:
        rows: rows of pairs/rendered; only those with verdict ok are written.
        recipes: pair_id -> row of pairs/recipes.
        folder: where the files of the rows lie.
        shard_bytes: a shard is closed before it would grow beyond this; a larger pair has one of its own.
        clips: clip_id -> file; if given, each sample also holds its clip as it is, .clip.mp4.
        progress: called with (done, total) pairs.

    Returns:
        The written rows, each with `shard`, the name of its tar file.

    Raises:
        ValueError: for a shard size below 1, or no row with verdict ok.
        KeyError: for a pair without recipe, or a clip that was not given.
        FileNotFoundError: if a file of a pair is missing.
    """
    good = [row for row in rows if row["verdict"] == "ok"]
    if shard_bytes < 1 or not good:
        raise ValueError(f"need at least one rendered pair and one byte a shard, got {len(good)} and {shard_bytes}")
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    samples = [_Sample(row, _members(row, recipes, Path(folder), clips)) for row in good]
    written: list[dict[str, Any]] = []
    for number, group in enumerate(_groups(samples, shard_bytes)):
        path = out / f"pairs-{number:06d}.tar"
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with tarfile.open(temporary, "w", format=tarfile.USTAR_FORMAT) as tar:
                for sample in group:
                    for name, content in sample.members.items():
                        _add(tar, name, content)
                    written.append({**sample.row, "shard": path.name})
                    progress(len(written), len(good))
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return written


@dataclass(frozen=True)
class _Sample:
    """A row and what its sample holds: name -> bytes, or the file that has them."""

    row: Mapping[str, Any]
    members: dict[str, bytes | Path]

    @property
    def size(self) -> int:
        """Bytes in the tar file: every member has a header and is filled up to whole blocks."""
        sizes = (len(m) if isinstance(m, bytes) else m.stat().st_size for m in self.members.values())
        return sum(tarfile.BLOCKSIZE * (1 + -(-size // tarfile.BLOCKSIZE)) for size in sizes)


def _members(
    row: Mapping[str, Any],
    recipes: Mapping[str, Mapping[str, Any]],
    folder: Path,
    clips: Mapping[str, str | Path] | None,
) -> dict[str, bytes | Path]:
    pair_id = str(row["pair_id"])
    if pair_id not in recipes:
        raise KeyError(f"pair {pair_id} has no recipe: pairs/rendered and pairs/recipes do not belong together")
    if clips is not None and row["clip_id"] not in clips:
        raise KeyError(f"pair {pair_id} needs clip {row['clip_id']}, which was not given")
    found: dict[str, bytes | Path] = {str(row[kind]): folder / row[kind] for kind in KINDS}
    if clips is not None:
        found[f"{pair_id}.clip.mp4"] = Path(clips[row["clip_id"]])
    found[f"{pair_id}.json"] = canonical_json({**row, "recipe": dict(recipes[pair_id])})
    return found


def _groups(samples: Sequence[_Sample], shard_bytes: int) -> Iterator[list[_Sample]]:
    """Samples in order, as many to a shard as fit."""
    group: list[_Sample] = []
    size = 0
    for sample in samples:
        if group and size + sample.size > shard_bytes:
            yield group
            group, size = [], 0
        group.append(sample)
        size += sample.size
    if group:
        yield group


def _add(tar: tarfile.TarFile, name: str, content: bytes | Path) -> None:
    """A member without owner or time, so that the same pairs give the same bytes."""
    info = tarfile.TarInfo(name)
    if isinstance(content, bytes):
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    else:
        with content.open("rb") as file:
            info.size = content.stat().st_size
            tar.addfile(info, file)
