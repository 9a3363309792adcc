"""The handle: the only thing one asset hands to another. Small, typed, JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from g2w.lineage.canonical import canonical_json
from g2w.lineage.manifest import ManifestError, check_address


@dataclass(frozen=True)
class Handle:
    """Names one immutable snapshot: where it lies, which manifest it must have, how many rows it holds."""

    asset: str
    partition: str
    snapshot: str
    manifest_sha256: str
    rows: int

    def __post_init__(self) -> None:
        check_address(self.asset, self.partition)
        if len(self.manifest_sha256) != 64:
            raise ManifestError(f"{self.asset}: manifest sha256 {self.manifest_sha256!r} is not 64 hex characters")

    @property
    def path(self) -> str:
        """Path of the snapshot relative to the lake's root."""
        return f"{self.asset}/{self.partition}/{self.snapshot}"

    def to_bytes(self) -> bytes:
        """Canonical JSON bytes."""
        return canonical_json(asdict(self))

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str = "handle") -> Handle:
        """Parse handle bytes.

        Raises:
            ManifestError: if they do not hold a handle.
        """
        try:
            return cls(**json.loads(data))
        except (TypeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ManifestError(f"{where}: not a handle ({error})") from error
