from __future__ import annotations

import json

import pytest

from g2w.video.verdicts import Reason, Verdict


def test_they_are_words_in_tables_and_lists_are_closed() -> None:
    assert json.dumps([Verdict.OK, Reason.NO_INDEX]) == '["ok", "no_index"]'
    with pytest.raises(ValueError):
        Reason("because")
