"""Canonical bytes and content hashes: the alphabet in which lineage is written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

SHORT_LENGTH = 16
_CHUNK_BYTES = 1 << 20


def canonical_json(value: Any) -> bytes:
    """Serialize `value` to the one JSON text that stands for it: sorted keys, no spaces, UTF-8, final newline.

    Raises:
        ValueError: for NaN or infinity, which JSON cannot carry.
        TypeError: for anything that is not plain JSON data.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8") + b"\n"


def sha256_bytes(data: bytes) -> str:
    """Hex SHA-256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def sha256_json(value: Any) -> str:
    """Hex SHA-256 of the canonical JSON of `value`."""
    return sha256_bytes(canonical_json(value))


def sha256_file(path: str | Path) -> str:
    """Hex SHA-256 of a local file, read in 1 MiB chunks."""
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def short(digest: str) -> str:
    """First 16 characters of a hex digest: 64 bits, enough to name a snapshot, short enough to read."""
    return digest[:SHORT_LENGTH]
