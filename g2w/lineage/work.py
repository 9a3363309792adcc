"""A workspace: where a snapshot is made before anyone can see it. Survives a kill, is adopted by the next run."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from g2w.lineage.canonical import canonical_json, sha256_file, short
from g2w.lineage.lake import MANIFEST, RUN_FACTS, TABLE, Lake, LakeError, Snapshot
from g2w.lineage.manifest import FileEntry, Manifest, Parents, snapshot_id

STEPS = ".steps"


@dataclass
class Workspace:
    """A local folder that becomes a snapshot. Hidden files (".steps", ".lock") are never published."""

    lake: Lake
    asset: str
    partition: str
    recipe: Mapping[str, Any]
    code_version: str
    parents: Parents
    path: Path
    _lock: TextIO

    @property
    def steps(self) -> Path:
        """Folder in which finished shards leave their rows, for a run that takes over."""
        return self.path / STEPS

    def write_table(self, rows: Iterable[Mapping[str, Any]] | pa.Table, name: str = TABLE) -> int:
        """Write rows as zstd Parquet, without a clock in it; returns the number of rows."""
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist([dict(row) for row in rows])
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, self.path / name, compression="zstd")
        return table.num_rows

    def publish(self, *, rows: int, summary: Mapping[str, Any], run_facts: Mapping[str, Any]) -> Snapshot:
        """Hash every file, write the manifest last, and make the snapshot visible in one step.

        If another run published the same snapshot first, its bytes win and ours are thrown away.
        """
        shutil.rmtree(self.steps, ignore_errors=True)
        files = tuple(_entries(self.path))
        manifest = Manifest(
            self.asset, self.partition, self.code_version, self.recipe, self.parents, files, rows, summary
        )
        facts = canonical_json(dict(run_facts))
        target = f"{self.asset}/{self.partition}/{manifest.snapshot}"
        if self.lake.local_root is not None:
            self._publish_by_rename(self.lake.local_root / target, manifest.to_bytes(), facts)
        else:
            self._publish_by_upload(target, files, manifest.to_bytes(), facts)
        self._lock.close()
        published = self.lake.find(self.asset, self.partition, manifest.snapshot)
        if published is None:
            raise LakeError(f"{target} was published but cannot be read back from {self.lake.root}")
        return published

    def _publish_by_rename(self, target: Path, manifest: bytes, facts: bytes) -> None:
        (self.path / RUN_FACTS).write_bytes(facts)
        with open(self.path / MANIFEST, "wb") as stream:
            stream.write(manifest)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.rename(self.path, target)
            (target / ".lock").unlink(missing_ok=True)
        except OSError:
            if not (target / MANIFEST).exists():
                raise
            shutil.rmtree(self.path)

    def _publish_by_upload(self, target: str, files: Iterable[FileEntry], manifest: bytes, facts: bytes) -> None:
        if not self.lake.exists(f"{target}/{MANIFEST}"):
            for entry in files:
                self.lake.fs.put_file(str(self.path / entry.path), self.lake.url(f"{target}/{entry.path}"))
            self.lake.write(f"{target}/{RUN_FACTS}", facts)
            self.lake.create(f"{target}/{MANIFEST}", manifest)
        shutil.rmtree(self.path)

    def discard(self) -> None:
        """Throw the workspace away."""
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def open_workspace(
    lake: Lake,
    asset: str,
    partition: str,
    *,
    recipe: Mapping[str, Any],
    code_version: str,
    parents: Parents,
    run: str,
) -> Workspace:
    """Open the workspace of a snapshot, taking over what a dead run left of the same one.

    A workspace is held by a file lock, which the kernel frees when its process dies: so a folder whose lock can be
    taken belongs to nobody, and its finished shards are ours.
    """
    name = snapshot_id(asset, partition, recipe, code_version, parents)
    base = lake.local_root or lake.cache / "work"
    parent = base / asset / partition
    parent.mkdir(parents=True, exist_ok=True)
    mine = parent / f".tmp-{name}-{short(run)}-{os.getpid()}"
    for left in sorted(parent.glob(f".tmp-{name}-*")):
        lock = _try_lock(left)
        if lock is not None:
            if left != mine:
                os.rename(left, mine)
            return Workspace(lake, asset, partition, recipe, code_version, parents, mine, lock)
    mine.mkdir(parents=True, exist_ok=True)
    lock = _try_lock(mine)
    if lock is None:
        raise LakeError(f"workspace {mine} is locked although its name carries this process's id")
    return Workspace(lake, asset, partition, recipe, code_version, parents, mine, lock)


def _try_lock(folder: Path) -> TextIO | None:
    try:
        stream = open(folder / ".lock", "w", encoding="ascii")  # noqa: SIM115  (it lives as long as the workspace)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        return None
    return stream


def _entries(folder: Path) -> Iterable[FileEntry]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if path.is_file() and not hidden and str(relative) not in (MANIFEST, RUN_FACTS):
            yield FileEntry(relative.as_posix(), sha256_file(path), path.stat().st_size)


def read_step(steps: Path, key: str) -> Any | None:
    """What a finished shard left, or None if it did not finish."""
    path = steps / f"{key}.json"
    return json.loads(path.read_bytes()) if path.exists() else None


def write_step(steps: Path, key: str, value: Any) -> None:
    """Record a finished shard, whole or not at all."""
    steps.mkdir(parents=True, exist_ok=True)
    temporary = steps / f".{key}.{os.getpid()}"
    temporary.write_bytes(canonical_json(value))
    os.replace(temporary, steps / f"{key}.json")
