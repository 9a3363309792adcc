"""The manifest: what a snapshot holds and what it was made from, with no clock and no run ids in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from g2w.lineage.canonical import canonical_json, sha256_bytes, sha256_json, short

SCHEMA_VERSION = 1
UNPARTITIONED = "all"
_ASSET = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")
_PARTITION = re.compile(r"all|b\d{5}")

Parents = Mapping[str, Mapping[str, str]]
"""Asset key -> partition -> manifest sha256 of the snapshot that was read."""


class ManifestError(ValueError):
    """A manifest that cannot be trusted: malformed, or its bytes do not match their hash."""


@dataclass(frozen=True)
class FileEntry:
    """One file of a snapshot: path relative to it, content hash, size in bytes."""

    path: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Manifest:
    """The hashed description of a snapshot; `sha256` of its canonical bytes is the Dagster data version."""

    asset: str
    partition: str
    code_version: str
    recipe: Mapping[str, Any]
    parents: Parents
    files: tuple[FileEntry, ...]
    rows: int
    summary: Mapping[str, Any] = field(default_factory=dict)
    schema: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        check_address(self.asset, self.partition)
        if self.schema != SCHEMA_VERSION:
            raise ManifestError(f"{self.asset}: manifest schema {self.schema}, this code reads {SCHEMA_VERSION}")
        if self.rows < 0:
            raise ManifestError(f"{self.asset}: rows must not be negative, got {self.rows}")

    @property
    def size_bytes(self) -> int:
        """Sum of the file sizes in bytes."""
        return sum(entry.size_bytes for entry in self.files)

    @property
    def snapshot(self) -> str:
        """Name of the folder this manifest lies in."""
        return snapshot_id(self.asset, self.partition, self.recipe, self.code_version, self.parents)

    @property
    def sha256(self) -> str:
        """Hash of the canonical bytes."""
        return sha256_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Canonical JSON bytes."""
        return canonical_json(
            {
                "schema": self.schema,
                "asset": self.asset,
                "partition": self.partition,
                "code_version": self.code_version,
                "recipe": dict(self.recipe),
                "parents": {asset: dict(parts) for asset, parts in self.parents.items()},
                "files": [vars(entry) for entry in sorted(self.files, key=lambda e: e.path)],
                "rows": self.rows,
                "bytes": self.size_bytes,
                "summary": dict(self.summary),
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str = "manifest") -> Manifest:
        """Parse and validate manifest bytes.

        Raises:
            ManifestError: if the text is not a manifest in canonical form.
        """
        try:
            raw = json.loads(data)
            files = tuple(FileEntry(**entry) for entry in raw["files"])
            manifest = cls(
                asset=raw["asset"],
                partition=raw["partition"],
                code_version=raw["code_version"],
                recipe=raw["recipe"],
                parents=raw["parents"],
                files=files,
                rows=raw["rows"],
                summary=raw["summary"],
                schema=raw["schema"],
            )
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ManifestError(f"{where}: not a manifest ({error!r})") from error
        if manifest.to_bytes() != data:
            raise ManifestError(f"{where}: bytes are not the canonical form of the manifest they hold")
        return manifest


def snapshot_id(asset: str, partition: str, recipe: Mapping[str, Any], code_version: str, parents: Parents) -> str:
    """Short hash that names a snapshot before it is made: recipe, code version and parents' manifest hashes."""
    return short(
        sha256_json(
            {
                "asset": asset,
                "partition": partition,
                "recipe": dict(recipe),
                "code_version": code_version,
                "parents": {key: dict(parts) for key, parts in parents.items()},
            }
        )
    )


def check_address(asset: str, partition: str) -> None:
    """Refuse an asset key or partition that could not be a pair of folder names."""
    if not _ASSET.fullmatch(asset):
        raise ManifestError(f"asset key {asset!r} is not of the form stage/noun in lower case")
    if not _PARTITION.fullmatch(partition):
        raise ManifestError(f"partition {partition!r} of {asset} is neither 'all' nor a batch such as 'b00042'")
