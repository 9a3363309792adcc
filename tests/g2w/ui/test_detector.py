from __future__ import annotations

from dataclasses import replace

from g2w.ui.detector import DetectorIdentity


def test_the_label_changes_with_all_that_can_change_the_rows() -> None:
    base = DetectorIdentity("d", "1", "m", "p", "s", {"high": 0.7})
    others = [
        replace(base, version="2"),
        replace(base, model="n"),
        replace(base, prompt_sha256="q"),
        replace(base, schema_sha256="t"),
        replace(base, settings={"high": 0.8}),
    ]
    assert base.label.startswith("d@1:m#")
    assert len({identity.label for identity in [base, *others]}) == 6
    assert replace(base).label == base.label
