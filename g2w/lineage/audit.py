"""Audit: walk the manifests from a score down to the source videos and check every byte on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from g2w.lineage.batch import BatchError
from g2w.lineage.canonical import sha256_bytes, sha256_file
from g2w.lineage.lake import Lake, LakeError, Snapshot
from g2w.lineage.manifest import ManifestError

SOURCE_ASSET = "raw/videos"
"""The root of every chain: its rows name the source files by hash."""


@dataclass(frozen=True)
class Problem:
    """One broken link: where, and what is wrong with it."""

    where: str
    what: str


@dataclass
class Node:
    """One snapshot of the chain with its parents."""

    asset: str
    partition: str
    snapshot: str
    manifest_sha256: str
    rows: int
    num_files: int
    size_bytes: int
    code_version: str
    run_facts: dict[str, object]
    parents: list[Node] = field(default_factory=list)


@dataclass
class Audit:
    """The result: the chain, the source files at its end, and everything that did not match."""

    root: Node
    sources: list[dict[str, str]]
    problems: list[Problem]

    @property
    def ok(self) -> bool:
        """Whether every link matched."""
        return not self.problems

    def nodes(self) -> Iterator[Node]:
        """Every node once, score first."""
        seen: set[str] = set()
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.manifest_sha256 not in seen:
                seen.add(node.manifest_sha256)
                yield node
                stack.extend(reversed(node.parents))


def audit(lake: Lake, snapshot: Snapshot, *, check_files: bool = True, check_sources: bool = True) -> Audit:
    """Walk from `snapshot` to the source videos by manifest hash, without any database.

    Args:
        lake: where everything lies.
        snapshot: the score to explain.
        check_files: read every file of every snapshot and compare its hash.
        check_sources: read the source videos and compare theirs.

    Returns:
        The chain; `problems` lists each link that is missing or whose bytes differ.
    """
    walker = _Walker(lake, check_files)
    root = walker.visit(snapshot)
    sources = list(walker.sources(check_sources))
    return Audit(root, sources, walker.problems)


class _Walker:
    def __init__(self, lake: Lake, check_files: bool) -> None:
        self.lake = lake
        self.check_files = check_files
        self.problems: list[Problem] = []
        self.seen: dict[str, Node] = {}
        self.roots: list[Snapshot] = []

    def visit(self, snapshot: Snapshot) -> Node:
        """Check a snapshot and everything above it, each once."""
        if snapshot.manifest_sha256 in self.seen:
            return self.seen[snapshot.manifest_sha256]
        m = snapshot.manifest
        node = Node(
            m.asset,
            m.partition,
            m.snapshot,
            snapshot.manifest_sha256,
            m.rows,
            len(m.files),
            m.size_bytes,
            m.code_version,
            snapshot.run_facts,
        )
        self.seen[snapshot.manifest_sha256] = node
        self._check(snapshot)
        if m.asset == SOURCE_ASSET:
            self.roots.append(snapshot)
        for asset, partitions in sorted(m.parents.items()):
            for partition, digest in sorted(partitions.items()):
                try:
                    node.parents.append(self.visit(self.lake.by_hash(asset, partition, digest)))
                except (LakeError, ManifestError) as error:
                    self.problems.append(Problem(f"{m.asset} [{m.partition}] -> {asset} [{partition}]", str(error)))
        return node

    def _check(self, snapshot: Snapshot) -> None:
        name = snapshot.path.rsplit("/", 1)[-1]
        if snapshot.manifest.snapshot != name:
            self.problems.append(Problem(snapshot.path, "folder name is not the hash of recipe, code and parents"))
        if not self.check_files:
            return
        for entry in snapshot.manifest.files:
            path = f"{snapshot.path}/{entry.path}"
            if not self.lake.exists(path):
                self.problems.append(Problem(path, "file is missing"))
            elif self._hash(path) != entry.sha256:
                self.problems.append(Problem(path, f"bytes do not have sha256 {entry.sha256}"))

    def _hash(self, path: str) -> str:
        if self.lake.local_root is not None:
            return sha256_file(self.lake.local_root / path)
        return sha256_bytes(self.lake.read(path))

    def sources(self, check: bool) -> Iterator[dict[str, str]]:
        """Source videos of every root that was reached; with `check` their bytes are read."""
        for snapshot in sorted(self.roots, key=lambda s: s.manifest.partition):
            try:
                batch = self.lake.batch(snapshot.manifest.partition)
            except BatchError as error:
                self.problems.append(Problem(snapshot.path, str(error)))
                continue
            if batch.recipe["sources_sha256"] != snapshot.manifest.recipe.get("sources_sha256"):
                self.problems.append(
                    Problem(snapshot.path, f"batch {batch.key} is not the list this snapshot was made from")
                )
            for source in batch.sources:
                if check:
                    self._check_source(source.uri, source.sha256)
                yield {"batch": batch.key, "name": source.name, "sha256": source.sha256}

    def _check_source(self, uri: str, digest: str) -> None:
        path = Path(uri)
        if not path.exists():
            self.problems.append(Problem(uri, "source video is gone"))
        elif sha256_file(path) != digest:
            self.problems.append(Problem(uri, f"source video does not have sha256 {digest}"))
