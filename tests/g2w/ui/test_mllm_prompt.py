from __future__ import annotations

import jsonschema
import pytest

from g2w.ui.coordinates import Coordinates
from g2w.ui.mllm_prompt import MAX_ELEMENTS, reply_schema, user_prompt
from g2w.ui.taxonomy import ANCHORS, load_taxonomy

GOOD = {
    "image_id": "f1",
    "elements": [{"id": 1, "cls": "crosshair", "anchor": "screen", "box": [1, 2, 3, 4], "score": 0.5}],
}


def test_the_prompt_names_every_class_the_unit_and_the_picture() -> None:
    text = user_prompt("f00075", Coordinates.PIXEL)
    assert all(f"- {name}: " in text for name in load_taxonomy().names)
    assert all(f"- {name}: " in text for name in ANCHORS)
    assert "1288" in text and '"image_id": "f00075"' in text


def test_the_schema_is_closed() -> None:
    schema = reply_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(GOOD, schema)
    element = GOOD["elements"][0]
    for bad in (
        {"elements": []},
        {**GOOD, "note": "x"},
        {**GOOD, "elements": [{**element, "cls": "sword"}]},
        {**GOOD, "elements": [{**element, "anchor": "world"}]},
        {**GOOD, "elements": [{name: element[name] for name in element if name != "anchor"}]},
        {**GOOD, "elements": [{**element, "box": [1, 2, 3]}]},
        {**GOOD, "elements": [{**element, "score": 2}]},
        {**GOOD, "elements": [element] * (MAX_ELEMENTS + 1)},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
