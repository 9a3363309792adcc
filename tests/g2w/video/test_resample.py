from __future__ import annotations

from fractions import Fraction

from g2w.video.resample import Resampler


def run(times: list[Fraction], last: Fraction, fps: int = 30) -> list[int]:
    """The source frame that each output shows."""
    resampler: Resampler[int] = Resampler(fps)
    shown: list[int] = []
    for index, time_s in enumerate(times):
        shown += [picture for _, picture in resampler.add(time_s, index)]
    shown += [picture for _, picture in resampler.finish(last)]
    return shown


def test_the_same_rate_is_the_same_frames() -> None:
    assert run([Fraction(k, 30) for k in range(7)], Fraction(1, 30)) == list(range(7))


def test_milliseconds_do_not_shift_or_repeat() -> None:
    assert run([Fraction(round(k * 1000 / 30), 1000) for k in range(150)], Fraction(33, 1000)) == list(range(150))


def test_higher_rates_are_thinned_by_time() -> None:
    assert run([Fraction(k, 120) for k in range(12)], Fraction(1, 120)) == [0, 4, 8]
    shown = run([k * Fraction(1001, 60_000) for k in range(360)], Fraction(1001, 60_000))
    assert len(shown) == 181
    assert all(abs(Fraction(k, 30) - s * Fraction(1001, 60_000)) < Fraction(1, 110) for k, s in enumerate(shown[:180]))


def test_lower_rates_and_gaps_hold_the_nearest() -> None:
    assert run([Fraction(k, 15) for k in range(3)], Fraction(1, 15)) == [0, 0, 1, 1, 2, 2]
    assert run([Fraction(k, 30) for k in (0, 1, 4, 5)], Fraction(1, 30)) == [0, 1, 1, 2, 2, 3]
    assert run([], Fraction(1, 30)) == []
