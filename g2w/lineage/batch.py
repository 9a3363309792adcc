"""A batch: a sealed list of source videos. Its key is the one partition the graph knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from g2w.lineage.canonical import canonical_json, sha256_file, sha256_json

MAX_VIDEOS = 2_000
SIDE_FILES = (".source.json", ".actions.parquet", ".elements.parquet")
_KEY = re.compile(r"b\d{5}")


class BatchError(ValueError):
    """A batch that cannot be sealed or read."""


@dataclass(frozen=True)
class Source:
    """One source video of a batch.

    `uri` says where the bytes lay when the batch was sealed; it is never hashed, so that the same videos in another
    folder make the same batch. `side_files` maps a suffix (".actions.parquet", ...) to the sha256 of the file beside it.
    """

    name: str
    uri: str
    sha256: str
    size_bytes: int
    side_files: dict[str, str]


@dataclass(frozen=True)
class Batch:
    """A sealed, ordered list of sources."""

    key: str
    sources: tuple[Source, ...]

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise BatchError(f"batch key {self.key!r} is not of the form b00042")
        if not self.sources:
            raise BatchError(f"batch {self.key} has no source videos")
        if len(self.sources) > MAX_VIDEOS:
            raise BatchError(f"batch {self.key} has {len(self.sources)} videos; seal at most {MAX_VIDEOS} together")

    @property
    def recipe(self) -> dict[str, object]:
        """What of the batch enters hashes: names and content, not places."""
        rows = [{k: v for k, v in asdict(source).items() if k != "uri"} for source in self.sources]
        return {"num_sources": len(rows), "sources_sha256": sha256_json(rows)}

    def locate(self, sha256: str) -> Source:
        """Source with this content hash.

        Raises:
            BatchError: if the batch holds none.
        """
        for source in self.sources:
            if source.sha256 == sha256:
                return source
        raise BatchError(f"batch {self.key} has no source with sha256 {sha256}")

    def to_bytes(self) -> bytes:
        """Canonical JSON bytes."""
        return canonical_json({"key": self.key, "sources": [asdict(source) for source in self.sources]})

    @classmethod
    def from_bytes(cls, data: bytes) -> Batch:
        """Parse the bytes of a sealed batch.

        Raises:
            BatchError: if they do not hold one.
        """
        try:
            raw = json.loads(data)
            return cls(raw["key"], tuple(Source(**source) for source in raw["sources"]))
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise BatchError(f"not a sealed batch: {error!r}") from error


def describe_sources(paths: Iterable[str | Path]) -> tuple[Source, ...]:
    """Hash local video files and their side files; the same content twice is one source, ordered by name then hash."""
    found: dict[str, Source] = {}
    for path in sorted(Path(p) for p in paths):
        side = {}
        for suffix in SIDE_FILES:
            beside = path.with_name(path.stem + suffix)
            if beside.exists():
                side[suffix] = sha256_file(beside)
        source = Source(path.name, str(path.resolve()), sha256_file(path), path.stat().st_size, side)
        found.setdefault(source.sha256, source)
    return tuple(sorted(found.values(), key=lambda s: (s.name, s.sha256)))
