"""Sealing: which files of a folder become the next batch."""

from __future__ import annotations

import time
from pathlib import Path

from g2w.lineage.batch import MAX_VIDEOS, Batch, Source, describe_sources
from g2w.lineage.lake import Lake

VIDEO_SUFFIXES = frozenset({".mp4", ".mkv", ".mov", ".avi", ".webm", ".ts", ".m4v", ".flv", ".mpg", ".mpeg", ".wmv"})


def list_videos(folder: Path, *, settle_s: float = 0.0) -> list[Path]:
    """Video files under `folder`, in order of their path. Files changed in the last `settle_s` seconds wait.

    Links to folders are not followed, so a loop of links ends.

    Raises:
        FileNotFoundError: if the folder is not there.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder; give one that holds video files")
    newest = time.time() - settle_s
    found = []
    for path in sorted(folder.rglob("*")):
        is_video = path.suffix.lower() in VIDEO_SUFFIXES and path.is_file() and not path.name.startswith(".")
        if is_video and (settle_s == 0.0 or path.stat().st_mtime <= newest):
            found.append(path)
    return found


def seal_folder(lake: Lake, folder: Path, *, settle_s: float = 0.0) -> Batch | None:
    """Seal the videos of a folder that no batch holds yet into the next batch; None if there is none."""
    sealed = [source for key in lake.batches() for source in lake.batch(key).sources]
    places = {(source.uri, source.size_bytes) for source in sealed}
    # Only what is not known by place and size is hashed: the inbox is listed on every tick.
    paths = [p for p in list_videos(folder, settle_s=settle_s) if (str(p.resolve()), p.stat().st_size) not in places]
    known = {source.sha256 for source in sealed}
    fresh = [source for source in describe_sources(paths) if source.sha256 not in known]
    return seal(lake, fresh[:MAX_VIDEOS]) if fresh else None


def seal(lake: Lake, sources: list[Source]) -> Batch:
    """Seal exactly these sources. The same list again is the same batch."""
    recipe = Batch("b00000", tuple(sources)).recipe
    for key in lake.batches():
        if lake.batch(key).recipe == recipe:
            batch = Batch(key, tuple(sources))
            lake.seal(batch)
            return batch
    last = max((int(key[1:]) for key in lake.batches()), default=0)
    batch = Batch(f"b{last + 1:05d}", tuple(sources))
    lake.seal(batch)
    return batch
