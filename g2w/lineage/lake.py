"""The lake: immutable snapshots under one root, local or any fsspec URL, published manifest-last."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.core import url_to_fs

from g2w.lineage.batch import Batch, BatchError
from g2w.lineage.canonical import canonical_json, sha256_bytes, sha256_file
from g2w.lineage.handle import Handle
from g2w.lineage.manifest import Manifest, ManifestError

MANIFEST = "_manifest.json"
RUN_FACTS = "_run.json"
TABLE = "part-00000.parquet"


class LakeError(RuntimeError):
    """The lake does not hold what was asked for, or holds something else."""


@dataclass(frozen=True)
class Snapshot:
    """A published snapshot: its manifest and the way to its files."""

    lake: Lake
    manifest: Manifest
    manifest_sha256: str
    path: str

    @property
    def handle(self) -> Handle:
        """The small thing that is passed on."""
        m = self.manifest
        return Handle(m.asset, m.partition, posixpath.basename(self.path), self.manifest_sha256, m.rows)

    @property
    def run_facts(self) -> dict[str, Any]:
        """What is true of the run, not of the data: times, host, commit, cost. Empty if never written."""
        path = f"{self.path}/{RUN_FACTS}"
        return json.loads(self.lake.read(path)) if self.lake.exists(path) else {}

    def local(self, name: str) -> Path:
        """Local path of one file; on a remote lake it is fetched once into the cache and checked against its hash."""
        entry = next((e for e in self.manifest.files if e.path == name), None)
        if entry is None:
            raise LakeError(f"{self.path} has no file {name!r}; it holds {len(self.manifest.files)} files")
        if self.lake.local_root is not None:
            return self.lake.local_root / self.path / name
        cached = self.lake.cache / entry.sha256 / posixpath.basename(name)
        if not cached.exists():
            self.lake.download(f"{self.path}/{name}", cached)
            if sha256_file(cached) != entry.sha256:
                cached.unlink()
                raise LakeError(f"{self.path}/{name}: fetched bytes do not have the sha256 of the manifest")
        return cached

    def local_dir(self, prefix: str = "") -> Path:
        """Local folder that holds every file under `prefix`, fetched first on a remote lake."""
        if self.lake.local_root is not None:
            return self.lake.local_root / self.path / prefix
        folder = self.lake.cache / "dirs" / self.manifest_sha256
        for entry in self.manifest.files:
            target = folder / entry.path
            if entry.path.startswith(prefix) and not target.exists():
                self.lake.download(f"{self.path}/{entry.path}", target)
        return folder / prefix

    def table(self, name: str = TABLE) -> pa.Table:
        """A Parquet table of this snapshot."""
        return pq.read_table(self.local(name))

    def rows(self, name: str = TABLE) -> list[dict[str, Any]]:
        """The same table as a list of dicts, for tables of thousands of rows."""
        return self.table(name).to_pylist()


@dataclass(frozen=True)
class Lake:
    """All snapshots under `root`, a local folder or an fsspec URL such as s3://bucket/prefix."""

    root: str
    cache_dir: str | None = None

    @cached_property
    def _fs_and_base(self) -> tuple[Any, str]:
        return url_to_fs(self.root)

    @property
    def fs(self) -> Any:
        """The fsspec file system."""
        return self._fs_and_base[0]

    @cached_property
    def local_root(self) -> Path | None:
        """The root as a local path, or None on a remote lake."""
        protocol = self.fs.protocol
        names = (protocol,) if isinstance(protocol, str) else protocol
        return Path(self._fs_and_base[1]) if "file" in names or "local" in names else None

    @cached_property
    def cache(self) -> Path:
        """Local scratch: work folders and fetched files of a remote lake."""
        return Path(self.cache_dir or os.path.expanduser("~/.cache/g2w"))

    def url(self, path: str) -> str:
        """Full path inside the file system."""
        return posixpath.join(self._fs_and_base[1], path)

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there, asking the store and not a listing cache."""
        self.fs.invalidate_cache()
        return bool(self.fs.exists(self.url(path)))

    def read(self, path: str) -> bytes:
        """Bytes of a file."""
        return bytes(self.fs.cat_file(self.url(path)))

    def write(self, path: str, data: bytes) -> None:
        """Replace a small mutable file (a head, a run fact) in one step."""
        if self.local_root is not None:
            target = self.local_root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{target.name}.{os.getpid()}")
            temporary.write_bytes(data)
            os.replace(temporary, target)
        else:
            self.fs.pipe_file(self.url(path), data)

    def create(self, path: str, data: bytes) -> bool:
        """Write a file only if none is there (a conditional put on S3). False if somebody was first."""
        try:
            if self.local_root is not None:
                target = self.local_root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                temporary = target.with_name(f".{target.name}.{os.getpid()}")
                temporary.write_bytes(data)
                try:
                    os.link(temporary, target)
                finally:
                    temporary.unlink()
            else:
                self.fs.pipe_file(self.url(path), data, mode="create")
        except FileExistsError:
            return False
        return True

    def download(self, path: str, target: Path) -> None:
        """Fetch one file to a local path, whole or not at all."""
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}")
        self.fs.get_file(self.url(path), str(temporary))
        os.replace(temporary, target)

    # Snapshots

    def find(self, asset: str, partition: str, snapshot: str) -> Snapshot | None:
        """The published snapshot of this name, or None. A folder without a manifest does not exist."""
        path = f"{asset}/{partition}/{snapshot}"
        if not self.exists(f"{path}/{MANIFEST}"):
            return None
        data = self.read(f"{path}/{MANIFEST}")
        return Snapshot(self, Manifest.from_bytes(data, where=path), sha256_bytes(data), path)

    def open(self, handle: Handle) -> Snapshot:
        """The snapshot a handle names.

        Raises:
            LakeError: if it is missing or its manifest has another hash.
        """
        found = self.find(handle.asset, handle.partition, handle.snapshot)
        if found is None:
            raise LakeError(f"{handle.path} is not in the lake at {self.root}; materialize {handle.asset} again")
        if found.manifest_sha256 != handle.manifest_sha256:
            raise LakeError(
                f"{handle.path}: manifest sha256 is {found.manifest_sha256}, the handle says {handle.manifest_sha256}"
            )
        return found

    def by_hash(self, asset: str, partition: str, manifest_sha256: str) -> Snapshot:
        """The snapshot of an asset whose manifest has this hash.

        Raises:
            LakeError: if none has.
        """
        for snapshot in self.snapshots(asset, partition):
            if snapshot.manifest_sha256 == manifest_sha256:
                return snapshot
        raise LakeError(f"{asset} [{partition}]: no snapshot has manifest sha256 {manifest_sha256}")

    def snapshots(self, asset: str, partition: str) -> Iterator[Snapshot]:
        """Every published snapshot of an asset and partition."""
        folder = self.url(f"{asset}/{partition}")
        self.fs.invalidate_cache()
        if not self.fs.exists(folder):
            return
        for entry in sorted(self.fs.ls(folder, detail=False)):
            name = posixpath.basename(entry.rstrip("/"))
            if not name.startswith("."):
                found = self.find(asset, partition, name)
                if found is not None:
                    yield found

    # Heads: the mutable pointers that say which snapshot is current. Lineage never reads them backwards.

    def head(self, asset: str, partition: str) -> Handle | None:
        """Handle of the current snapshot of an asset and partition."""
        path = f"_heads/{asset}/{partition}.json"
        return Handle.from_bytes(self.read(path), where=path) if self.exists(path) else None

    def set_head(self, handle: Handle) -> None:
        """Make a snapshot the current one."""
        self.write(f"_heads/{handle.asset}/{handle.partition}.json", handle.to_bytes())

    # Batches

    def seal(self, batch: Batch) -> None:
        """Write a sealed batch. Sealing the same content again is harmless; other content under the key is refused."""
        path = f"_batches/{batch.key}.json"
        if not self.create(path, batch.to_bytes()):
            sealed = self.batch(batch.key)
            if sealed.recipe != batch.recipe:
                raise BatchError(f"batch {batch.key} is sealed with other videos; late videos go to a new batch")
            # The same videos may have moved since: remember where they lie now.
            self.write(path, batch.to_bytes())

    def batch(self, key: str) -> Batch:
        """A sealed batch.

        Raises:
            BatchError: if no batch of this key was sealed.
        """
        path = f"_batches/{key}.json"
        if not self.exists(path):
            raise BatchError(
                f"batch {key} was never sealed in {self.root}; sealed: {', '.join(self.batches()) or 'none'}"
            )
        return Batch.from_bytes(self.read(path))

    def batches(self) -> list[str]:
        """Keys of all sealed batches, in order."""
        folder = self.url("_batches")
        self.fs.invalidate_cache()
        if not self.fs.exists(folder):
            return []
        names = (posixpath.basename(path) for path in self.fs.ls(folder, detail=False))
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json") and name[0] == "b")


def write_json(path: Path, value: Any) -> None:
    """Write canonical JSON to a local file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(canonical_json(value))


__all__ = ["MANIFEST", "RUN_FACTS", "TABLE", "Lake", "LakeError", "ManifestError", "Snapshot", "write_json"]
