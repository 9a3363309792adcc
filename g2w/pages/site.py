"""What all static pages share: templates that escape, files placed beside the page, style and scripts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

TEMPLATES = Path(__file__).with_name("templates")


def environment() -> Environment:
    """Templates of this package. Every value is escaped, whatever the name of the template."""
    return Environment(
        loader=PackageLoader("g2w.pages", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_page(path: Path, template: str, context: Mapping[str, Any]) -> None:
    """Render a template to a file. JSON goes in through the filter `tojson`, which also escapes <, >, & and quotes."""
    text = environment().get_template(template).render(context)
    fresh(path).write_text(text, encoding="utf-8")


def copy_assets(out: Path, *names: str) -> None:
    """Put style sheets and scripts of this package beside a page."""
    for name in names:
        shutil.copyfile(TEMPLATES / name, fresh(out / name))


def fresh(path: Path) -> Path:
    """The same path with its folder made and nothing in its place.

    Never write over what is there: it may be a hard link to a file of an immutable snapshot.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path


def place(source: Path, target: Path) -> None:
    """Let `target` have the bytes of `source`: a hard link where the file system allows one, else a copy."""
    fresh(target)
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)
