from __future__ import annotations

from g2w.ui.boxes import iou
from g2w.ui.evaluate import by_class, by_size, match, rate, size_of, true_elements


def _box(x: int, y: int, w: int, h: int, cls: str = "a") -> dict:
    return {"x": x, "y": y, "w": w, "h": h, "cls": cls}


def test_overlap_is_measured_by_area() -> None:
    assert iou(_box(0, 0, 10, 10), _box(5, 0, 10, 10)) == 50 / 150
    assert iou(_box(0, 0, 10, 10), _box(10, 0, 10, 10)) == 0.0


def test_pairs_are_one_to_one_and_as_many_as_can_be() -> None:
    truth = [_box(0, 0, 100, 100), _box(40, 0, 100, 100)]
    # the first fits both, the second only the first truth: a greedy match by overlap would lose one
    proposals = [_box(18, 0, 100, 100), _box(-25, 0, 100, 100)]
    assert match(proposals, truth).pairs == ((0, 1), (1, 0))
    twice = match([truth[0], truth[0]], truth[:1])
    assert len(twice.pairs) == 1 and len(twice.alarms) == 1, "a second box on a found element is a false alarm"


def test_rates_count_misses_alarms_and_classes_apart() -> None:
    one = match(
        [_box(0, 0, 200, 200, "b"), _box(600, 0, 20, 20, "a")], [_box(0, 0, 200, 200, "a"), _box(900, 0, 60, 60, "c")]
    )
    empty, missed = match([], []), match([], [_box(0, 0, 20, 20, "a")])
    total = rate([one, empty, missed])
    assert (total.hits, total.truth, total.proposals, total.right_class) == (1, 3, 2, 0)
    assert (total.recall, total.precision, total.class_accuracy) == (1 / 3, 0.5, 0.0)
    classes = by_class([one, missed])
    assert (classes["a"].recall, classes["a"].precision) == (0.5, 0.0)
    assert (classes["b"].recall, classes["b"].precision) == (None, 1.0), "nothing of that class: no recall, not 0"
    assert [by_size([one, missed])[size].truth for size in ("small", "medium", "large")] == [1, 1, 1]
    assert size_of(_box(0, 0, 48, 48)) == "medium"
    assert match([], []).misses == () and missed.misses == (0,) and one.alarms == (1,)


def _row(frame: int, x: int, *, visible: bool = True, element: str = "e", w: int = 20) -> dict:
    return {
        "frame_index": frame,
        "element_id": element,
        "cls": "a",
        "x": x,
        "y": 5,
        "w": w,
        "h": 10,
        "visible": visible,
    }


def test_truth_is_what_a_clip_shows_long_enough() -> None:
    rows = [_row(k, 10 if k < 80 else 12) for k in range(100)]
    rows += [_row(k, 50, element="short") for k in range(10)]
    rows += [_row(k, 70, element="hidden", visible=False, w=0) for k in range(100)]
    (element,) = true_elements(rows, 0, 99)
    assert (element["x"], element["w"], element["num_frames"], element["transient"]) == (10, 20, 100, False)
    assert true_elements(rows, 90, 103)[:1] == [], "seen in ten frames of this clip"
    (late,) = true_elements(rows, 85, 120)
    assert late["x"] == 12 and late["transient"]
