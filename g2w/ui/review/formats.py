"""Proposals out to annotation tools and their answers back: COCO and Label Studio, each answer checked at the door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from g2w.synth.layout import HEIGHT, WIDTH
from g2w.ui.review.decisions import Decision, ReviewError, proposal_id
from g2w.ui.taxonomy import load_taxonomy

Row = Mapping[str, Any]
FORMATS = ("coco", "label-studio")
_LABEL_STUDIO_VIEW = """<View>
  <Image name="frame" value="$image"/>
  <RectangleLabels name="element" toName="frame">
{labels}
  </RectangleLabels>
</View>"""


class ImportReason(StrEnum):
    """Why an annotation of a file became no decision: the closed list."""

    NOT_READABLE = "not_readable"
    UNKNOWN_PROPOSAL = "unknown_proposal"
    DUPLICATE_PROPOSAL = "duplicate_proposal"
    UNKNOWN_CLASS = "unknown_class"
    BAD_BOX = "bad_box"


@dataclass(frozen=True)
class Imported:
    """What a file said: decisions, and what it said that could not be used as (where in the file, reason)."""

    decisions: tuple[Decision, ...]
    refused: tuple[tuple[str, ImportReason], ...]


@dataclass(frozen=True)
class _Said:
    """One annotation of a file: where it stands, the picture's name, and what it says; no box = it cannot be read."""

    where: str
    picture: str | None
    proposal: Any = None
    cls: Any = None
    box: Any = None


def frame_of(row: Row) -> int:
    """The frame on which a proposal is shown: the middle of its time on the screen."""
    return (int(row["first_frame"]) + int(row["last_frame"])) // 2


def image_name(row: Row) -> str:
    """File name of the frame that shows a proposal; proposals of one clip and moment share it."""
    return f"{row['clip_id']}_{frame_of(row):05d}.png"


def to_coco(rows: Iterable[Row]) -> dict[str, Any]:
    """COCO detection file: one annotation per proposal, its id and confidence among the attributes."""
    names = load_taxonomy().names
    images: dict[str, dict[str, Any]] = {}
    annotations: list[dict[str, Any]] = []
    for row in rows:
        name = image_name(row)
        image = images.setdefault(name, {"id": len(images) + 1, "file_name": name, "width": WIDTH, "height": HEIGHT})
        annotations.append(
            {
                "id": len(annotations) + 1,
                "image_id": image["id"],
                "category_id": names.index(row["cls"]) + 1,
                "bbox": [row["x"], row["y"], row["w"], row["h"]],
                "area": row["w"] * row["h"],
                "iscrowd": 0,
                "attributes": {"proposal": proposal_id(row), "confidence": row["confidence"]},
            }
        )
    categories = [{"id": i, "name": name, "supercategory": "interface"} for i, name in enumerate(names, 1)]
    return {"images": list(images.values()), "categories": categories, "annotations": annotations}


def to_label_studio(rows: Iterable[Row], *, image_root: str = "/data/local-files/?d=") -> list[dict[str, Any]]:
    """Label Studio tasks, one per picture, with the proposals as predictions (boxes in percent of the picture)."""
    tasks: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = image_name(row)
        task = tasks.setdefault(
            name,
            {"data": {"image": image_root + name}, "predictions": [{"model_version": row["detector"], "result": []}]},
        )
        task["predictions"][0]["result"].append(
            {
                "id": proposal_id(row),
                "type": "rectanglelabels",
                "from_name": "element",
                "to_name": "frame",
                "original_width": WIDTH,
                "original_height": HEIGHT,
                "score": row["confidence"],
                "value": {
                    "x": 100 * row["x"] / WIDTH,
                    "y": 100 * row["y"] / HEIGHT,
                    "width": 100 * row["w"] / WIDTH,
                    "height": 100 * row["h"] / HEIGHT,
                    "rotation": 0,
                    "rectanglelabels": [row["cls"]],
                },
            }
        )
    return list(tasks.values())


def label_studio_view() -> str:
    """Labeling configuration to paste into a Label Studio project."""
    return _LABEL_STUDIO_VIEW.format(labels="\n".join(f'    <Label value="{n}"/>' for n in load_taxonomy().names))


def from_coco(data: Any, rows: Sequence[Row], reviewer: str, now_unix_s: float) -> Imported:
    """Decisions of one reviewer from a COCO file that began as `to_coco(rows)`.

    A proposal whose annotation is there is accepted with the class and box it now has; one whose annotation the reviewer
    deleted is rejected, if its picture is still in the file (pictures that were not handed out say nothing).

    Raises:
        ReviewError: if the file is no COCO file at all.
    """
    if not isinstance(data, dict) or not all(
        isinstance(data.get(k), list) for k in ("images", "categories", "annotations")
    ):
        raise ReviewError("no COCO file: it needs the lists images, categories and annotations")
    classes = {c.get("id"): c.get("name") for c in data["categories"] if isinstance(c, dict)}
    pictures = {i.get("id"): _base(i.get("file_name")) for i in data["images"] if isinstance(i, dict)}
    said = []
    for number, annotation in enumerate(data["annotations"]):
        where, picture = f"annotation number {number}", None
        try:
            picture = pictures[annotation["image_id"]]
            proposal = (annotation.get("attributes") or {}).get("proposal")
            said.append(_Said(where, picture, proposal, classes.get(annotation["category_id"]), annotation["bbox"]))
        except (KeyError, TypeError, AttributeError):
            said.append(_Said(where, picture))
    return _decide(said, set(pictures.values()), rows, reviewer, now_unix_s)


def from_label_studio(data: Any, rows: Sequence[Row], reviewer: str, now_unix_s: float) -> Imported:
    """Decisions of one reviewer from a Label Studio JSON export; tasks without an annotation say nothing.

    Raises:
        ReviewError: if the file is no Label Studio export at all.
    """
    if not isinstance(data, list):
        raise ReviewError("no Label Studio export: it must be a list of tasks")
    shown: set[str] = set()
    said = []
    for number, task in enumerate(data):
        try:
            name = _base(task["data"]["image"])
            answers = [a for a in task.get("annotations", []) if not a.get("was_cancelled")]
            results = answers[-1]["result"] if answers else []
        except (KeyError, TypeError, AttributeError):
            said.append(_Said(f"task {number}", None))
            continue
        if answers:
            shown.add(name)
        for place, result in enumerate(results):
            where = f"task {number}, region {place}"
            try:
                said.append(_Said(where, name, *_region(result)))
            except (KeyError, TypeError, AttributeError, IndexError):
                said.append(_Said(where, name))
    return _decide(said, shown, rows, reviewer, now_unix_s)


def _region(result: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    value = result["value"]
    scale = {"x": WIDTH, "y": HEIGHT, "width": WIDTH, "height": HEIGHT}
    box = [value[name] / 100 * size for name, size in scale.items()]
    return result.get("id"), value["rectanglelabels"][0], box


def _base(name: Any) -> str:
    return str(name).rsplit("/", 1)[-1].rsplit("=", 1)[-1]


def _decide(said: Sequence[_Said], shown: set[str], rows: Sequence[Row], reviewer: str, now_unix_s: float) -> Imported:
    known = {proposal_id(row): row for row in rows}
    decisions: dict[str, Decision] = {}
    refused: list[tuple[str, ImportReason]] = []
    # What could not be used is no wish to reject: neither its proposal, nor, if that is unknown, any of its picture.
    spoiled: set[Any] = set()
    for each in said:
        reason = _refusal(each, known, decisions)
        if reason is None:
            decisions[each.proposal] = Decision(
                each.proposal, reviewer, "accept", each.cls, _rounded(each.box), now_unix_s
            )
        else:
            refused.append((each.where, reason))
            spoiled.add(each.picture if reason is ImportReason.NOT_READABLE else each.proposal)
    for proposal, row in known.items():
        picture = image_name(row)
        if picture in shown - spoiled and proposal not in decisions and proposal not in spoiled:
            decisions[proposal] = Decision(proposal, reviewer, "reject", None, None, now_unix_s)
    return Imported(tuple(decisions[key] for key in sorted(decisions)), tuple(refused))


def _refusal(each: _Said, known: Mapping[str, Row], done: Mapping[str, Decision]) -> ImportReason | None:
    if each.box is None:
        return ImportReason.NOT_READABLE
    if not isinstance(each.proposal, str) or each.proposal not in known:
        return ImportReason.UNKNOWN_PROPOSAL
    if each.proposal in done:
        return ImportReason.DUPLICATE_PROPOSAL
    if each.cls not in load_taxonomy().names:
        return ImportReason.UNKNOWN_CLASS
    try:
        x, y, w, h = _rounded(each.box)
    except (TypeError, ValueError, OverflowError):
        return ImportReason.BAD_BOX
    inside = w >= 1 and h >= 1 and x >= 0 and y >= 0 and x + w <= WIDTH and y + h <= HEIGHT
    return None if inside else ImportReason.BAD_BOX


def _rounded(box: Any) -> tuple[int, int, int, int]:
    x, y, w, h = (round(float(value)) for value in box)
    return x, y, w, h
