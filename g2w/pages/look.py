"""A recipe in words: the look of a pair and its elements, as (name, text) for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from g2w.synth.motion import FULL_LEVEL

Fact = tuple[str, str]
Json = Mapping[str, Any]


def look_facts(recipe: Json) -> list[Fact]:
    """What all elements of a pair have in common, in the order of `docs/synthesis.md`; what plays no part is left out."""
    look = json.loads(recipe.get("look") or "{}")
    facts = [
        ("groups", ", ".join(look.get("groups", [])) or "none"),
        ("theme", look.get("theme") or "mixed"),
        ("interface scale", f"× {look['scale']:.2f}" if "scale" in look else ""),
        ("margin", f"{look['margin']} px" if "margin" in look else ""),
        ("formation", f"{look['formation']}, {look['gap']} px apart" if look.get("formation") else ""),
        ("scaling filter", look.get("filter", "")),
        ("effects", effects_text(look)),
        ("script", look.get("script", "")),
        ("motion", _motion(look)),
        ("codec", _codec(look.get("codec"))),
        ("dropped", ", ".join(str(name) for name in look.get("dropped", []))),
    ]
    return [(name, str(text)) for name, text in facts if text]


def effects_text(spec: Json) -> str:
    """Frost and effects of a look or of an element, such as "frosted 5 px, shadow (3, 2) px"."""
    effects = spec.get("effects") or {}
    texts = [f"frosted {spec['frost']} px"] if spec.get("frost") else []
    if "glow" in effects:
        size, *color, _ = effects["glow"]
        texts.append(f"glow {size} px {_hex(color)}")
    if "shadow" in effects:
        dx, dy, blur, _ = effects["shadow"]
        texts.append(f"shadow ({dx}, {dy}) px" + (f", blur {blur} px" if blur else ""))
    if "outline" in effects:
        size, *color = effects["outline"]
        texts.append(f"outline {size} px {_hex(color)}")
    return ", ".join(texts)


def element_facts(recipe: Json, fps: int) -> list[dict[str, str]]:
    """One row of text per element: id, cls, asset, place, when, changes, finish."""
    return [_element(spec, fps) for spec in json.loads(recipe["elements"])]


def _element(spec: Json, fps: int) -> dict[str, str]:
    changes = [f"{len(spec['states'])} of {spec['num_states']} states"] if len(spec["states"]) > 1 else []
    changes += ["wanders"] if "path" in spec else []
    changes += [f"{len(spec['parts'])} parts"] if "parts" in spec else []
    finish = [f"opacity {spec['opacity'] / FULL_LEVEL:.0%}", effects_text(spec)]
    return {
        "id": str(spec["element_id"]),
        "cls": str(spec["cls"]),
        "asset": str(spec["asset_id"]),
        "place": f"{spec['x']}, {spec['y']} · {spec['w']} × {spec['h']} · {spec['zone']} ({spec['placed']})",
        "when": f"{spec['start'] / fps:.2f} – {spec['stop'] / fps:.2f} s, {str(spec['animation']).replace('_', ' ')}",
        "changes": ", ".join(changes) or "still",
        "finish": ", ".join(text for text in finish if text),
    }


def _motion(look: Json) -> str:
    texts = []
    if len(look.get("path", [])) > 1:
        texts.append(f"moves by up to {max(max(abs(v) for v in step[1:]) for step in look['path'])} px")
    if look.get("slow_fps", 30) < 30:
        texts.append(f"redrawn {look['slow_fps']} times a second")
    if len(look.get("away", [])) > 1:
        texts.append("put away for a while")
    return ", ".join(texts)


def _codec(codec: Json | None) -> str:
    return f"{codec['encoder']}, {codec['kbps']} kbit/s, {codec['chroma']}" if codec else ""


def _hex(color: Sequence[int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)
