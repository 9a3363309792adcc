from __future__ import annotations

from g2w.footage.gauges import DECORATE, NAMES, PERCENT, Gauges, commands


def test_values_move_stay_in_range_and_repeat() -> None:
    rows = [Gauges(4).at(frame, yaw=0.0) for frame in range(300)]
    assert (
        rows == [Gauges(4).at(frame, yaw=0.0) for frame in range(300)] != [Gauges(5).at(f, yaw=0.0) for f in range(300)]
    )
    assert all(tuple(row) == NAMES for row in rows)
    for name in NAMES:
        values = [row[name] for row in rows]
        assert min(values) >= 0 and max(values) <= (100 if name in PERCENT else 1000), name
        assert name == "GwYaw" or len(set(values)) > 1 or name == "GwMinute", name
    clock = [row["GwMinute"] * 60 + row["GwSecond"] for row in rows]
    assert clock[-1] - clock[0] == 9 and clock == sorted(clock)


def test_the_compass_turns_clockwise_from_north() -> None:
    heading = [Gauges(1).at(0, yaw)["GwYaw"] for yaw in (90, 0, -90, 180, 91, 89.9 + 360)]
    assert heading == [0, 18, 36, 54, 0, 0]


def test_commands_bring_the_items_to_their_values() -> None:
    assert commands({"GwClip": 5, "GwSlot": 2}, {"GwClip": 3, "GwSlot": 2, "GwYaw": 7}) == [
        "take GwClip 2",
        "give GwYaw 7",
    ]
    assert all(f"actor {name} " in DECORATE for name in NAMES)
