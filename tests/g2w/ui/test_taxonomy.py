from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from g2w.ui.taxonomy import Taxonomy, load_taxonomy


def test_the_published_sums_hold() -> None:
    taxonomy = load_taxonomy()
    assert len(taxonomy.names) == 21
    assert sum(item.probability for item in taxonomy.classes) == pytest.approx(4.0, abs=1e-12)
    assert sum(item.popup_share for item in taxonomy.popups) == pytest.approx(1.0, abs=1e-12)
    assert sum(n * p for n, p in enumerate(taxonomy.popup_count_law)) == pytest.approx(1.5, abs=1e-12)
    assert (
        taxonomy["player_status"].probability,
        taxonomy["map_radar"].probability,
        taxonomy["crosshair"].probability,
    ) == (0.72, 0.68, 0.64)
    assert len(taxonomy.popups) == 6 and taxonomy["event_feed"].max_instances == 3
    assert sum(item.published for item in taxonomy.classes) == 15
    assert {item.anchor for item in taxonomy.classes} == {"screen"}


def test_a_wrong_sum_is_refused() -> None:
    taxonomy = load_taxonomy()
    first = dataclasses.replace(taxonomy.classes[0], probability=0.8)
    with pytest.raises(ValueError, match=r"persistent probabilities is 4\.08"):
        Taxonomy(2, (first, *taxonomy.classes[1:]), taxonomy.popup_count_law)
    with pytest.raises(ValueError, match="20 distinct of 20"):
        Taxonomy(2, taxonomy.classes[1:], taxonomy.popup_count_law)


def test_a_value_outside_its_list_is_refused() -> None:
    item = load_taxonomy()["subtitle"]
    with pytest.raises(ValueError, match="zone is 'MIDDLE'"):
        dataclasses.replace(item, zones=("MIDDLE",))
    with pytest.raises(ValueError, match="anchor is 'mouse'"):
        dataclasses.replace(item, anchor="mouse")
    with pytest.raises(ValueError, match="popup_share"):
        dataclasses.replace(item, popup_share=0.0)
    with pytest.raises(KeyError, match="healthbar"):
        load_taxonomy()["healthbar"]


def test_another_file_can_replace_it(tmp_path: Path) -> None:
    source = Path(load_taxonomy.__wrapped__.__code__.co_filename).with_name("taxonomy.yaml")
    copy = tmp_path / "taxonomy.yaml"
    copy.write_text(source.read_text(encoding="utf-8").replace("version: 2", "version: 3"), encoding="utf-8")
    assert load_taxonomy(copy).version == 3
