"""Answers of a vision model, kept by content: the same question about the same pixels to the same model is asked once."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from g2w.ui.vision import VisionModel, VisionReply, VisionRequest

ENTRY_VERSION = 1


class CachedVision:
    """A `VisionModel` in front of another one. Only answers that ended by themselves are kept; errors never are."""

    def __init__(self, model: VisionModel, folder: Path) -> None:
        self._model, self._folder = model, folder

    @property
    def identity(self) -> Mapping[str, Any]:
        """That of the model behind: a cache changes no answer."""
        return self._model.identity

    def ask(self, request: VisionRequest) -> VisionReply:
        """The kept answer, marked `cached`, or the model's."""
        key = request.sha256(self.identity)
        path = self._folder / key[:2] / f"{key}.json"
        kept = _load(path)
        if kept is not None:
            return kept
        reply = self._model.ask(request)
        if reply.finish == "stop":
            self._store(path, reply)
        return reply

    def _store(self, path: Path, reply: VisionReply) -> None:
        """Written beside and renamed: a reader in another process sees all of it or nothing."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
        with open(handle, "w", encoding="utf-8") as file:
            json.dump({"version": ENTRY_VERSION, "reply": asdict(reply)}, file)
        os.replace(temporary, path)


def _load(path: Path) -> VisionReply | None:
    """A kept answer; None if there is none, or if the file is damaged: then it is asked and written again."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        if entry["version"] != ENTRY_VERSION:
            return None
        return replace(VisionReply(**entry["reply"]), cached=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None
