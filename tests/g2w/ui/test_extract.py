from __future__ import annotations

import numpy as np

from g2w.ui.detect import DETECTOR_VERSION, propose
from g2w.ui.extract import ExtractConfig, ExtractReason, extract


def _proposals(scene, **changes) -> list[dict]:
    base = {"clip_id": "c", "game": "MAP01", "split": "train", "licence": "BSD-3-Clause", **changes}
    return [{**row, **base} for row in propose(scene.path)]


def test_train_elements_are_cut_with_their_alpha(scene) -> None:
    done = extract(_proposals(scene), {"c": scene.path}, ExtractConfig(accept_class=0.0))
    accepted = [item for item in done if item.verdict == "accepted"]
    assert len(done) == len(scene.placed) and len(accepted) >= 3
    for item in accepted:
        asset = item.asset
        assert (
            asset.accepted_by == f"auto:builtin-detector@{DETECTOR_VERSION}"
            and asset.source == "extracted"
            and asset.style_set == "a"
        )
        assert asset.licence == "BSD-3-Clause" and abs(asset.x - item.proposal["x"]) <= 3
        drawn, x, y = min(scene.placed, key=lambda spot: abs(spot[1] - asset.x) + abs(spot[2] - asset.y))
        truth = np.zeros((720, 1280))
        truth[y : y + drawn.height, x : x + drawn.width] = drawn.pixels[: drawn.height, :, 3] / 255
        window = truth[asset.y : asset.y + asset.height, asset.x : asset.x + asset.width]
        assert np.abs(asset.pixels[..., 3] / 255 - window).mean() < 0.12, drawn.cls


def test_nothing_is_cut_from_the_benchmark(scene) -> None:
    done = extract(_proposals(scene, split="bench"), {})
    assert done and {item.reason for item in done} == {ExtractReason.NOT_TRAIN_SPLIT}
    assert all(item.asset is None and item.verdict == "rejected" for item in done)


def test_doubts_wait_for_a_person_and_duplicates_are_named(scene) -> None:
    rows = _proposals(scene)
    twice = [*rows, *({**row, "clip_id": "d", "confidence": row["confidence"] / 2} for row in rows)]
    done = extract(twice, {"c": scene.path, "d": scene.path}, ExtractConfig(accept_confidence=1.0, accept_class=1.0))
    assert len(done) == len(twice)
    assert sum(item.reason == ExtractReason.DUPLICATE for item in done) == len(rows)
    waiting = [item for item in done if item.verdict == "needs_review"]
    assert waiting and all(item.asset is not None and item.reason for item in waiting)


def test_what_people_decided_comes_before_every_threshold(scene) -> None:
    rows = _proposals(scene)
    strict = ExtractConfig(accept_confidence=1.0, accept_class=1.0)
    accepted_anyway = {
        item.proposal["x"] for item in extract(rows, {"c": scene.path}, strict) if item.asset is not None
    }
    (first, *rest) = [row for row in rows if row["x"] in accepted_anyway]
    decided = [
        {**first, "review": "accepted", "reviewers": "ada, bo"},
        {**rest[0], "review": "rejected", "reviewers": "ada"},
        {**rest[1], "review": "open", "reviewers": ""},
    ]
    done = {item.proposal["x"]: item for item in extract(decided, {"c": scene.path}, ExtractConfig(accept_class=0.0))}
    yes, no, tie = (done[row["x"]] for row in decided)
    assert yes.verdict == "accepted" and yes.asset is not None and yes.asset.accepted_by == "ada, bo"
    assert (no.verdict, no.reason, no.asset) == ("rejected", ExtractReason.REJECTED_BY_REVIEWER, None)
    assert (tie.verdict, tie.reason) == ("needs_review", ExtractReason.VOTES_OPEN)
