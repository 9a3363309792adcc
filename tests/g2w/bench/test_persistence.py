"""pi is a for O = (1 - a) clean + a source, near 0 for fills, near 1 for an interface that was moved."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from g2w.bench.judge import Scene, State
from g2w.bench.persistence import PersistenceReference, gradients, magnitude, state_of
from g2w.bench.regions import region_of


def references(scene: Scene) -> list[PersistenceReference]:
    assert scene.clean is not None
    return [PersistenceReference(scene.clean, scene.source, region_of(element)) for element in scene.elements]


def inside(scene: Scene) -> np.ndarray:
    mask = np.zeros((720, 1280), bool)
    for element in scene.elements:
        region = region_of(element)
        mask[region.slices] |= region.inside
    return mask


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.5, 1.0])
def test_ghost_reads_its_own_opacity(scene: Scene, alpha: float) -> None:
    assert scene.clean is not None
    ghost = np.round((1 - alpha) * scene.clean.astype(float) + alpha * scene.source).astype(np.uint8)
    for reference in references(scene):
        assert reference.persistence(ghost) == pytest.approx(alpha, abs=1e-3)


def fills(scene: Scene) -> dict[str, np.ndarray]:
    assert scene.clean is not None
    where, rng = inside(scene)[..., None], np.random.default_rng(0)
    noise = np.clip(scene.clean + rng.normal(0, 30, scene.clean.shape), 0, 255).astype(np.uint8)
    telea = cv2.inpaint(scene.source, where[..., 0].astype(np.uint8), 5, cv2.INPAINT_TELEA)
    contents = {
        "black": np.zeros_like(scene.clean),
        "truth blurred": cv2.GaussianBlur(scene.clean, (0, 0), 4),
        "interface blurred": cv2.GaussianBlur(scene.source, (0, 0), 8),
        "noise": noise,
        "from 150 px away": np.roll(scene.clean, 150, axis=1),
        "inpainted": telea,
    }
    return {name: np.where(where, content, scene.source) for name, content in contents.items()}


def test_no_fill_looks_like_the_element(scene: Scene) -> None:
    for name, output in fills(scene).items():
        for reference in references(scene):
            assert reference.persistence(output) < 0.15, name


@pytest.mark.parametrize("shift", [(1, 3), (-4, 2), (6, -6)])
def test_a_moved_interface_is_still_there(scene: Scene, shift: tuple[int, int]) -> None:
    source, where = np.roll(scene.source, shift, (0, 1)), np.roll(inside(scene), shift, (0, 1))
    moved = np.where(where[..., None], source, scene.clean)
    for reference in references(scene):
        assert reference.persistence(moved) >= 0.9


def test_equals_the_definition_pixel_by_pixel(scene: Scene) -> None:
    assert scene.clean is not None
    region = region_of(scene.elements[0])
    output = fills(scene)["interface blurred"]
    pictures = [image.astype(np.float32) for image in (scene.clean, scene.source, output)]
    grads = [gradients(picture) for picture in pictures]
    (cx, cy), (dx, dy), _ = [(gx[region.slices], gy[region.slices]) for gx, gy in grads]
    edges = (magnitude(dx - cx, dy - cy) > np.maximum(4, magnitude(cx, cy))) & region.inside
    energy = (dx**2 + dy**2)[edges].sum()

    def p(which: int, sy: int, sx: int) -> float:
        moved = [np.roll(g, (-sy, -sx), (0, 1))[region.slices] for g in grads[which]]
        return float((moved[0] * dx + moved[1] * dy)[edges].sum() / energy)

    expected = max((p(2, y, x) - p(0, y, x)) / (1 - p(0, y, x)) for y in range(-6, 7) for x in range(-6, 7))
    reference = PersistenceReference(scene.clean, scene.source, region)
    assert reference.num_edges == edges.sum()
    assert reference.persistence(output) == pytest.approx(expected, abs=1e-4)


def test_an_element_at_the_border_of_the_picture_is_judged_alike(scene: Scene) -> None:
    from g2w.bench.judge import SceneElement

    assert scene.clean is not None
    clean, source = scene.clean, scene.clean.copy()
    source[:30, :90] = (250, 240, 30)
    reference = PersistenceReference(clean, source, region_of(SceneElement("corner", "watermark", (0, 0, 90, 30))))
    assert reference.persistence(source) == pytest.approx(1, abs=1e-3)
    assert reference.persistence(clean) == pytest.approx(0, abs=1e-3)


def test_an_overlay_without_edges_is_not_judged(scene: Scene) -> None:
    assert scene.clean is not None
    faint = np.clip(scene.clean.astype(int) + 2, 0, 255).astype(np.uint8)
    reference = PersistenceReference(scene.clean, faint, region_of(scene.elements[0]))
    assert not reference.judgeable
    with pytest.raises(ValueError, match="judgeable"):
        reference.persistence(faint)


def test_states_follow_the_published_limits() -> None:
    assert [state_of(pi) for pi in (0.0, 0.199, 0.2, 0.349, 0.35, 1.0)] == [
        State.REMOVED,
        State.REMOVED,
        State.UNCERTAIN,
        State.UNCERTAIN,
        State.PRESENT,
        State.PRESENT,
    ]
