from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from g2w.video.sheet import GAP, contact_sheet, save_webp


def test_images_stand_row_by_row() -> None:
    images = [np.full((180, 320, 3), 40 * (k + 1), np.uint8) for k in range(5)]
    sheet = contact_sheet(images, columns=2, tile=(32, 18))
    assert sheet.shape == (3 * (18 + GAP) + GAP, 2 * (32 + GAP) + GAP, 3)
    for k in range(5):
        x, y = GAP + (k % 2) * (32 + GAP) + 16, GAP + (k // 2) * (18 + GAP) + 9
        assert (sheet[y, x] == 40 * (k + 1)).all()


def test_labels_are_drawn_and_shapes_kept() -> None:
    tall = np.full((320, 180, 3), 200, np.uint8)
    plain, labeled = (contact_sheet([tall], columns=4, labels=labels) for labels in (None, ["clip 7"]))
    assert (plain != labeled).any()
    assert plain.shape[1] == 320 + 2 * GAP  # one image is one column
    assert (plain[90, 20] < 60).all() and (plain[90, 160] > 150).all()
    with pytest.raises(ValueError, match="at least one"):
        contact_sheet([])


def test_webp_is_deterministic(tmp_path: Path) -> None:
    image = np.random.default_rng(0).integers(0, 256, (60, 80, 3)).astype(np.uint8)
    for name in ("a", "b"):
        save_webp(tmp_path / "new" / f"{name}.webp", image)
    assert (tmp_path / "new/a.webp").read_bytes() == (tmp_path / "new/b.webp").read_bytes()
    assert Image.open(tmp_path / "new/a.webp").size == (80, 60)
