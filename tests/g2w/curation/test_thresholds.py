from __future__ import annotations

from types import MappingProxyType

import pytest

from g2w.curation.thresholds import THRESHOLDS, Thresholds


def test_near_copy_thresholds_belong_to_their_embedder() -> None:
    assert THRESHOLDS.cosine_for("open_clip/ViT-B-16") == THRESHOLDS.dedup_cosine["open_clip"]
    with pytest.raises(ValueError, match="fit one with"):
        THRESHOLDS.cosine_for("my-embedder")


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="max_black_ratio"):
        Thresholds(max_black_ratio=2)
    with pytest.raises(ValueError, match="cosine"):
        Thresholds(dedup_cosine=MappingProxyType({"x": 3.0}))
