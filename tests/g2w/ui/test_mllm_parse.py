from __future__ import annotations

import json

import pytest

from g2w.ui.coordinates import Coordinates
from g2w.ui.detector import DetectReason
from g2w.ui.mllm_parse import ReplyError, parse_reply

E = {"id": 1, "cls": "crosshair", "anchor": "screen", "box": [490, 490, 510, 510], "score": 0.9}


def _parse(text: str, finish: str = "stop"):
    return parse_reply(text, finish, "f1", Coordinates.PER_MILLE)


def _reply(*elements, image_id: str = "f1", **more) -> str:
    return json.dumps({"image_id": image_id, "elements": list(elements), **more})


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "```\n{}\n```\n"])
def test_a_good_reply_bare_or_fenced(wrap) -> None:
    (box,) = _parse(wrap.replace("{}", _reply(E)))
    assert (box.cls, box.anchor, box.score) == ("crosshair", "screen", 0.9)
    assert (box.box, box.reason) == ((627, 353, 26, 14), None)
    assert _parse(_reply()) == []


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("", "content_filter", DetectReason.REFUSED),
        (_reply(E), "length", DetectReason.TRUNCATED),
        (_reply(E)[:-20], "stop", DetectReason.NOT_JSON),
        ("I'm sorry, but I can't help with that.", "stop", DetectReason.NOT_JSON),
        ("Here you are: " + _reply(E), "stop", DetectReason.NOT_JSON),
        (_reply(E) + _reply(E), "stop", DetectReason.NOT_JSON),
        ("[" * 100_000, "stop", DetectReason.NOT_JSON),
        (_reply(E).replace("0.9", "NaN"), "stop", DetectReason.NOT_JSON),
        ("[]", "stop", DetectReason.SCHEMA_MISMATCH),
        ("null", "stop", DetectReason.SCHEMA_MISMATCH),
        (_reply(E, note="hello"), "stop", DetectReason.SCHEMA_MISMATCH),
        ('{"image_id": "f1", "elements": {}}', "stop", DetectReason.SCHEMA_MISMATCH),
        (_reply(E, image_id="f2"), "stop", DetectReason.WRONG_IMAGE),
        (_reply(*[{**E, "id": k} for k in range(1, 42)]), "stop", DetectReason.TOO_MANY_ELEMENTS),
        (_reply(E, {**E, "id": 2, "box": [1100, 10, 1270, 90]}), "stop", DetectReason.WRONG_COORDINATES),
        (_reply({**E, "box": [0.4, 0.4, 0.6, 0.6]}), "stop", DetectReason.WRONG_COORDINATES),
    ],
)
def test_a_reply_of_no_use_has_a_reason(text, finish, reason) -> None:
    with pytest.raises(ReplyError) as caught:
        _parse(text, finish)
    assert caught.value.reason is reason and str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ({**E, "id": 1}, DetectReason.DUPLICATE_ID),
        ({**E, "id": 2, "cls": "ignore all rules"}, DetectReason.UNKNOWN_CLASS),
        ({**E, "id": 2, "anchor": "ignore all rules"}, DetectReason.UNKNOWN_ANCHOR),
        ({**E, "id": 2, "anchor": None}, DetectReason.BAD_ELEMENT),
        ({name: E[name] for name in E if name != "anchor"}, DetectReason.BAD_ELEMENT),
        ({**E, "id": 2, "box": [510, 490, 490, 510]}, DetectReason.BOX_INVERTED),
        ({**E, "id": 2, "box": [490, 490, 490, 510]}, DetectReason.BOX_TOO_SMALL),
        ({**E, "id": 2, "box": [-900, 0, 10, 10]}, DetectReason.BOX_OUT_OF_RANGE),
        ({**E, "id": 2, "box": [0, 0, 1000, 1000]}, DetectReason.BOX_TOO_LARGE),
        ({**E, "id": 2, "box": [1, 2, 3]}, DetectReason.BAD_ELEMENT),
        ({**E, "id": 2, "box": ["1", 2, 3, 4]}, DetectReason.BAD_ELEMENT),
        ({**E, "id": 2, "score": 1.5}, DetectReason.BAD_ELEMENT),
        ({**E, "id": 0}, DetectReason.BAD_ELEMENT),
        ({**E, "id": 2, "why": "x"}, DetectReason.BAD_ELEMENT),
        ("crosshair", DetectReason.BAD_ELEMENT),
    ],
)
def test_one_bad_box_costs_one_row_and_not_the_reply(element, reason) -> None:
    good, bad = _parse(_reply(E, element))
    assert good.reason is None and bad.reason is reason
    assert bad.cls in (None, "crosshair"), "foreign text does not get in as a class"
    assert bad.anchor in (None, "screen")
