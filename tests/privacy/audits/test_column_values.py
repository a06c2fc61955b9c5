import numpy as np
import pytest

from consilience.privacy.audits.column_values import values_of

RNG = np.random.default_rng(0)
WHOLE = RNG.integers(0, 90, size=60).astype(float)


def test_enough_values_show_a_step_that_is_no_power_of_ten():
    assert values_of(np.arange(20) * 2.5).step == pytest.approx(2.5)
    # Three even numbers say little about the next one.
    assert values_of(np.array([2.0, 4.0, 8.0])).step == 1.0


@pytest.mark.parametrize("unit", [0.45359237, 1 / 3, 2.54, np.pi, 1 / WHOLE.std()])
def test_numbers_in_other_units_are_still_counted_in_steps(unit):
    column = (WHOLE - WHOLE.mean()) * unit
    found = values_of(column)
    assert found.step == pytest.approx(unit, rel=1e-9)
    counts = (column - found.origin) / found.step
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-6)


def test_numbers_that_are_not_rounded_have_no_step():
    found = values_of(RNG.normal(size=60))
    assert (found.step, found.instead) == (0.0, ())


def test_what_fills_a_missing_entry_lies_beside_the_steps():
    column = np.where(RNG.random(60) < 0.4, 45 + 1 / 6, WHOLE)
    found = values_of(column, filled=45 + 1 / 6)
    assert found.step == 1.0
    [(offset, share)] = found.instead
    assert offset == pytest.approx(1 / 6)
    assert share == (column == 45 + 1 / 6).mean()


def test_a_few_odd_values_do_not_hide_the_steps():
    column = WHOLE.copy()
    column[[3, 30]] += RNG.random(2)
    found = values_of(column)
    assert (found.step, found.instead) == (1.0, ())


def test_few_values_without_a_step_are_those_values():
    found = values_of(np.repeat(np.log([1.0, 2, 3, 4]), 9))
    assert found.step == 0.0
    told = {round(found.origin + offset, 9) for offset, _ in found.instead} | {
        round(found.origin, 9)
    }
    assert told == {round(float(v), 9) for v in np.log([1.0, 2, 3, 4])}
    assert sum(share for _, share in found.instead) == pytest.approx(3 / 4)


def test_a_column_of_one_value_has_the_step_of_its_decimals():
    assert values_of(np.full(9, 3.5)).step == pytest.approx(0.1)


def test_numbers_in_four_bytes_are_counted_in_their_last_digit():
    rng = np.random.default_rng(0)
    short = rng.normal(180.0, 20.0, size=500).astype(np.float32)
    step = values_of(short.astype(np.float64)).step
    assert step == np.spacing(short.min())
    assert values_of(rng.normal(180.0, 20.0, size=500)).step == 0
