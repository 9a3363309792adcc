"""Files beside a page: linked or copied, never written through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from g2w.pages.site import TEMPLATES, copy_assets, environment, place, write_page


def test_a_link_is_replaced_and_its_source_stays(tmp_path: Path) -> None:
    source, target = tmp_path / "lake" / "a", tmp_path / "site" / "a"
    source.parent.mkdir()
    source.write_text("immutable")
    place(source, target)
    assert target.samefile(source)
    (tmp_path / "b").write_text("other")
    place(tmp_path / "b", target)
    assert (source.read_text(), target.read_text()) == ("immutable", "other")


def test_without_hard_links_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_text("x")
    place(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "x" and not (tmp_path / "b").samefile(tmp_path / "a")


def test_everything_is_escaped_and_nothing_is_missing(tmp_path: Path) -> None:
    text = environment().from_string("<b title='{{ x }}'>{{ x }}</b>{{ {'a': x} | tojson }}").render(x="</script>'\"&")
    assert "</script>" not in text and text.count("&lt;/script&gt;&#39;&#34;&amp;") == 2
    with pytest.raises(UndefinedError):
        write_page(tmp_path / "p.html", "library.html.j2", {})
    copy_assets(tmp_path, "pages.css")
    assert (tmp_path / "pages.css").read_bytes() == (TEMPLATES / "pages.css").read_bytes()
