from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from g2w.ui.detect import DETECTOR_VERSION, propose
from g2w.ui.extract import ExtractConfig, ExtractReason, extract
from g2w.ui.matting import MatteReason
from g2w.video.read import read_frames
from g2w.video.write import write_video


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
    cut = {item.asset.asset_id for item in done if item.asset is not None}
    assert {item.duplicate_of for item in done if item.reason == ExtractReason.DUPLICATE} == cut
    assert all(item.proposal["clip_id"] == "c" for item in done if item.asset is not None)
    assert all(item.duplicate_of is None for item in done if item.reason != ExtractReason.DUPLICATE)
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


@pytest.fixture(scope="module")
def frozen(scene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same interface in front of a world that stands still."""
    path = tmp_path_factory.mktemp("frozen") / "frozen.mp4"
    write_video(path, list(read_frames(scene.path, start=0, stop=1)) * 40, preset="ultrafast")
    return path


def _twice(scene, **better) -> list[dict]:
    """Every proposal of the scene, and a better one at the same place of another clip."""
    rows = [{**row, "confidence": row["confidence"] / 2} for row in _proposals(scene)]
    return [*rows, *({**row, "clip_id": "still", "confidence": 1.0, "last_frame": 39, **better} for row in rows)]


def test_where_the_best_cannot_be_cut_the_next_is_tried(scene, frozen) -> None:
    paths = {"c": scene.path, "still": frozen}
    alone = extract(_proposals(scene), paths)
    done = extract(_twice(scene), paths)
    assert len(done) == 2 * len(alone)
    assert {i.asset.asset_id for i in done if i.asset} == {i.asset.asset_id for i in alone if i.asset} != set()
    refused = {item.reason for item in done if item.proposal["clip_id"] == "still"}
    assert refused <= set(MatteReason), "the better ones say why they could not be cut"


def test_an_element_is_given_up_after_some_tries(scene, frozen) -> None:
    done = extract(_twice(scene), {"still": frozen}, ExtractConfig(tries=1))
    spent = [item for item in done if item.reason == ExtractReason.TRIES_SPENT]
    assert {item.proposal["clip_id"] for item in spent} == {"c"} and 2 * len(spent) == len(done)
    assert all(item.verdict == "rejected" and item.duplicate_of is None for item in spent)
    with pytest.raises(ValueError, match="tries"):
        ExtractConfig(tries=0)


def test_what_a_person_accepted_is_tried_first(scene) -> None:
    rows = _twice(scene)
    rows[: len(rows) // 2] = [{**row, "review": "accepted", "reviewers": "ada"} for row in rows[: len(rows) // 2]]
    done = extract(rows, {"c": scene.path, "still": scene.path})
    cut = [item for item in done if item.asset is not None]
    assert cut and all(item.asset.accepted_by == "ada" for item in cut if item.proposal["clip_id"] == "c")
    assert any(item.proposal["clip_id"] == "c" for item in cut)


@pytest.mark.parametrize("anchor", ["world_projected", "cursor"])
def test_only_what_has_its_place_on_the_screen_is_cut(scene, anchor) -> None:
    rows = [{**row, "anchor": anchor} for row in _proposals(scene)]
    rows[0] |= {"review": "rejected", "reviewers": "ada"}
    done = extract(rows, {})
    assert sorted({item.reason for item in done}) == [
        ExtractReason.NOT_SCREEN_ANCHORED,
        ExtractReason.REJECTED_BY_REVIEWER,
    ]
    assert all(item.asset is None and item.verdict == "rejected" for item in done)
