"""Round trips through COCO and Label Studio, and files that are wrong."""

from __future__ import annotations

import copy
import json

import pytest

from g2w.ui.review.decisions import ReviewError, proposal_id
from g2w.ui.review.formats import (
    ImportReason,
    from_coco,
    from_label_studio,
    image_name,
    label_studio_view,
    to_coco,
    to_label_studio,
)
from g2w.ui.taxonomy import load_taxonomy

ROWS = [
    {"clip_id": clip, "x": x, "y": 7, "w": 101, "h": 33, "cls": cls, "confidence": 0.75, "detector": "d@1",
     "first_frame": 0, "last_frame": 149}
    for clip, x, cls in (("c1", 11, "crosshair"), ("c1", 400, "map_radar"), ("c2", 1179, "subtitle"))
]  # fmt: skip
IDS = [proposal_id(row) for row in ROWS]


def annotated(tasks: list[dict]) -> list[dict]:
    """What Label Studio exports when a person accepts all predictions."""
    tasks = json.loads(json.dumps(tasks))
    return [{**task, "annotations": [{"result": task["predictions"][0]["result"]}]} for task in tasks]


def test_coco_comes_back_as_it_went() -> None:
    data = json.loads(json.dumps(to_coco(ROWS)))
    assert len(data["images"]) == 2 and len(data["categories"]) == 21 and len(data["annotations"]) == 3
    back = from_coco(data, ROWS, "ada", 5.0)
    assert back.refused == () and sorted(d.proposal for d in back.decisions) == sorted(IDS)
    by = {d.proposal: d for d in back.decisions}
    for key, row in zip(IDS, ROWS, strict=True):
        assert (by[key].verdict, by[key].cls, by[key].box) == ("accept", row["cls"], (row["x"], 7, 101, 33))


def test_label_studio_comes_back_as_it_went() -> None:
    tasks = to_label_studio(ROWS)
    assert [task["data"]["image"].split("=")[1] for task in tasks] == [image_name(ROWS[0]), image_name(ROWS[2])]
    back = from_label_studio(annotated(tasks), ROWS, "ada", 5.0)
    assert back.refused == ()
    assert {d.proposal: d.box for d in back.decisions} == {
        k: (r["x"], 7, 101, 33) for k, r in zip(IDS, ROWS, strict=True)
    }
    assert from_label_studio(tasks, ROWS, "ada", 5.0).decisions == (), "a task nobody annotated says nothing"
    assert all(f'value="{name}"' in label_studio_view() for name in load_taxonomy().names)


def test_what_the_reviewer_changed_and_deleted() -> None:
    data = to_coco(ROWS)
    data["annotations"][0]["bbox"] = [20.4, 8.0, 90.6, 30.0]
    data["annotations"][0]["category_id"] = 2
    del data["annotations"][1]
    by = {d.proposal: d for d in from_coco(data, ROWS, "ada", 5.0).decisions}
    assert by[IDS[0]].box == (20, 8, 91, 30) and by[IDS[0]].cls == load_taxonomy().names[1]
    assert by[IDS[1]].verdict == "reject" and by[IDS[2]].verdict == "accept"


def test_a_picture_that_was_not_handed_out_says_nothing() -> None:
    part = to_coco(ROWS[:2])
    assert IDS[2] not in {d.proposal for d in from_coco(part, ROWS, "ada", 5.0).decisions}


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("bbox", [1200, 0, 200, 20], ImportReason.BAD_BOX),
        ("bbox", [0, 0, 0.2, 20], ImportReason.BAD_BOX),
        ("bbox", [0, 0, float("nan"), 20], ImportReason.BAD_BOX),
        ("bbox", "wide", ImportReason.BAD_BOX),
        ("category_id", 99, ImportReason.UNKNOWN_CLASS),
        ("attributes", {"proposal": "nobody"}, ImportReason.UNKNOWN_PROPOSAL),
        ("attributes", 7, ImportReason.NOT_READABLE),
    ],
)
def test_bad_annotations_are_refused_with_a_reason_and_reject_nothing(
    field: str, value: object, reason: ImportReason
) -> None:
    data = copy.deepcopy(to_coco(ROWS[2:]))
    data["annotations"][0][field] = value
    back = from_coco(data, ROWS[2:], "ada", 5.0)
    assert [why for _, why in back.refused] == [reason]
    # Only an annotation that is well-formed and of something else means that this proposal's own was deleted.
    verdicts = ["reject"] if reason is ImportReason.UNKNOWN_PROPOSAL else []
    assert [d.verdict for d in back.decisions] == verdicts


def test_two_annotations_of_one_proposal() -> None:
    data = to_coco(ROWS[:1])
    data["annotations"].append({**data["annotations"][0], "id": 2, "bbox": [0, 0, 5, 5]})
    back = from_coco(data, ROWS[:1], "ada", 5.0)
    assert [why for _, why in back.refused] == [ImportReason.DUPLICATE_PROPOSAL]
    assert back.decisions[0].box == (11, 7, 101, 33)


@pytest.mark.parametrize("data", [None, [], {"images": []}, "text"])
def test_other_files_are_refused_whole(data: object) -> None:
    with pytest.raises(ReviewError, match="COCO"):
        from_coco(data, ROWS, "ada", 5.0)
    if not isinstance(data, list):
        with pytest.raises(ReviewError, match="Label Studio"):
            from_label_studio(data, ROWS, "ada", 5.0)


def test_a_region_that_cannot_be_read_rejects_nothing_of_its_picture() -> None:
    tasks = annotated(to_label_studio(ROWS))
    tasks[0]["annotations"][0]["result"][0].pop("value")
    back = from_label_studio([*tasks, {"data": 3}], ROWS, "ada", 5.0)
    assert back.refused == (
        ("task 0, region 0", ImportReason.NOT_READABLE),
        ("task 2", ImportReason.NOT_READABLE),
    )
    assert {d.proposal: d.verdict for d in back.decisions} == {IDS[1]: "accept", IDS[2]: "accept"}


def test_a_box_that_a_person_added_is_named_and_rejects_nothing() -> None:
    data = to_coco(ROWS[:1])
    data["annotations"].append({"id": 2, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]})
    back = from_coco(data, ROWS[:1], "ada", 5.0)
    assert back.refused == (("annotation number 1", ImportReason.UNKNOWN_PROPOSAL),)
    assert [d.verdict for d in back.decisions] == ["accept"]
