"""Pictures for people: contact sheets and WebP files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

GAP = 4
BACKGROUND = (24, 26, 30)


def contact_sheet(
    images: Sequence[np.ndarray],
    *,
    columns: int = 4,
    tile: tuple[int, int] = (320, 180),
    labels: Sequence[str] | None = None,
) -> np.ndarray:
    """Lay images out in a grid.

    Args:
        images: uint8 RGB arrays of any size.
        columns: images per row.
        tile: (width, height) each image is fitted into.
        labels: one line of text per image.

    Returns:
        uint8 RGB (height, width, 3).
    """
    if not images:
        raise ValueError("a contact sheet needs at least one image")
    width, height = tile
    columns = min(columns, len(images))
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * (width + GAP) + GAP, rows * (height + GAP) + GAP), BACKGROUND)
    font = ImageFont.load_default(13)
    for index, array in enumerate(images):
        image = Image.fromarray(np.ascontiguousarray(array))
        image.thumbnail(tile, Image.Resampling.BOX)
        x = GAP + (index % columns) * (width + GAP)
        y = GAP + (index // columns) * (height + GAP)
        sheet.paste(image, (x + (width - image.width) // 2, y + (height - image.height) // 2))
        if labels is not None:
            draw = ImageDraw.Draw(sheet)
            draw.text((x + 5, y + 3), labels[index], fill="white", font=font, stroke_width=2, stroke_fill="black")
    return np.asarray(sheet)


def save_webp(path: str | Path, image: np.ndarray, *, quality: int = 70) -> None:
    """Write a uint8 RGB or RGBA picture as WebP: the same bytes for the same picture."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.ascontiguousarray(image)).save(path, "WEBP", quality=quality, method=4)
