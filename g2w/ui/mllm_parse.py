"""From the text an MLLM wrote to boxes: validated at the door, each refusal with a reason of the closed list."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from g2w.ui.coordinates import Coordinates, Corners, is_other_convention, to_pixels
from g2w.ui.detector import DetectReason
from g2w.ui.mllm_prompt import MAX_ELEMENTS
from g2w.ui.taxonomy import ANCHORS, load_taxonomy

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
_STRICT = ConfigDict(extra="forbid", strict=True)


class ReplyError(ValueError):
    """A reply of which nothing can be used; the message is written for the model, which gets one more try."""

    def __init__(self, reason: DetectReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class ParsedBox:
    """One element of a reply: `box` (x, y, w, h) in pixels of 1280x720 and no reason, or no box and a reason."""

    cls: str | None
    anchor: str | None
    score: float | None
    box: tuple[int, int, int, int] | None
    reason: DetectReason | None


class _Envelope(BaseModel):
    model_config = _STRICT
    image_id: str
    elements: list[Any]


class _Element(BaseModel):
    model_config = _STRICT
    id: int = Field(ge=1)
    cls: str
    anchor: str
    # a list in JSON; strict mode takes no tuple from it
    box: list[float] = Field(min_length=4, max_length=4)
    score: float = Field(ge=0, le=1)


def parse_reply(text: str, finish: str, image_id: str, unit: Coordinates) -> list[ParsedBox]:
    """Boxes of one reply, in its order.

    Args:
        text: what the model wrote; one JSON object, bare or in one code fence.
        finish: why the answer ended, in the words of the chat protocol.
        image_id: the id that was asked about.
        unit: the unit that was asked for.

    Raises:
        ReplyError: if the whole reply is of no use.
    """
    if finish == "content_filter":
        raise ReplyError(DetectReason.REFUSED, "The answer was refused.")
    if finish == "length":
        raise ReplyError(DetectReason.TRUNCATED, "The answer was cut off: list fewer elements.")
    reply = _envelope(_load(text))
    if reply.image_id != image_id:
        raise ReplyError(DetectReason.WRONG_IMAGE, f"image_id is {reply.image_id[:60]!r}, it must be {image_id!r}.")
    if len(reply.elements) > MAX_ELEMENTS:
        raise ReplyError(
            DetectReason.TOO_MANY_ELEMENTS, f"{len(reply.elements)} elements: at most {MAX_ELEMENTS} are allowed."
        )
    elements = [_element(item) for item in reply.elements]
    corners = [_corners(e) for e in elements if e is not None]
    if is_other_convention(corners, unit):
        raise ReplyError(DetectReason.WRONG_COORDINATES, f"The boxes are not in the unit asked for: {unit.words}.")
    seen: set[int] = set()
    return [_checked(element, unit, seen) for element in elements]


def _load(text: str) -> Any:
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced.group(1) if fenced else text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ReplyError(DetectReason.NOT_JSON, f"The answer is not one JSON object: {str(error)[:200]}.") from error


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _envelope(data: Any) -> _Envelope:
    try:
        return _Envelope.model_validate(data)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"])) or "the answer"
        raise ReplyError(DetectReason.SCHEMA_MISMATCH, f"{place}: {problem['msg']}.") from error


def _element(item: Any) -> _Element | None:
    try:
        return _Element.model_validate(item)
    except ValidationError:
        return None


def _corners(element: _Element) -> Corners:
    x0, y0, x1, y1 = element.box
    return x0, y0, x1, y1


def _checked(element: _Element | None, unit: Coordinates, seen: set[int]) -> ParsedBox:
    if element is None:
        return ParsedBox(None, None, None, None, DetectReason.BAD_ELEMENT)
    known = element.cls in load_taxonomy().names
    reason: DetectReason | None = None
    box = to_pixels(_corners(element), unit)
    if element.id in seen:
        reason = DetectReason.DUPLICATE_ID
    elif not known:
        reason = DetectReason.UNKNOWN_CLASS
    elif element.anchor not in ANCHORS:
        reason = DetectReason.UNKNOWN_ANCHOR
    elif isinstance(box, DetectReason):
        reason = box
    seen.add(element.id)
    # a word outside its list is foreign text and goes no further
    cls = element.cls if known else None
    anchor = element.anchor if element.anchor in ANCHORS else None
    return ParsedBox(cls, anchor, element.score, None if isinstance(box, DetectReason) else box, reason)
