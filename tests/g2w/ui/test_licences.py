from __future__ import annotations

from g2w.ui.draw import draw_asset
from g2w.ui.library import asset_row
from g2w.ui.licences import licences_of


def test_assets_are_counted_by_licence_attribution_and_source() -> None:
    drawn = [asset_row(draw_asset(cls, "b", 0, 0)) for cls in ("crosshair", "subtitle")]
    cut = {**drawn[0], "source": "extracted", "licence": "unknown", "attribution": "cut from MAP01"}
    gone = {**cut, "path": "", "licence": "nothing of it is here"}
    mine, theirs = licences_of([cut, *drawn, gone])
    assert (mine["licence"], mine["source"], mine["num_assets"]) == ("Apache-2.0", "drawn", 2)
    assert "Aileron (CC0)" in mine["attribution"]
    assert theirs == {"licence": "unknown", "attribution": "cut from MAP01", "source": "extracted", "num_assets": 1}
    assert licences_of([]) == []
