import numpy as np
import pytest

from benchmarks.adversary import audit as campaign
from benchmarks.adversary.audit import (
    KINDS,
    Column,
    Table,
    audit,
    by_hand,
    change,
    draw_column,
    draw_table,
    search,
)
from consilience.collaboration.audit.scene import Setting

RNG = np.random.default_rng(0)


def table_of(*columns, kept=1, rounding=None):
    return Table(list(columns), Setting(n_components=kept, rounding=rounding), 0)


def whole(n_values, n=80):
    choices = np.arange(float(n_values))[:, None]
    return Column(choices[RNG.integers(n_values, size=n)], choices, 0.0, n_values - 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_holds_what_it_can_hold_within_its_bounds(kind):
    columns = []
    for _ in range(3):
        columns.append(draw_column(60, columns, RNG, kind))
    for column in columns:
        assert column.values.shape == (60, column.width)
        assert column.values.min() >= column.lower
        assert column.values.max() <= column.upper
        if column.choices is not None:
            assert {tuple(v) for v in column.values} <= {tuple(v) for v in column.choices}


def test_few_possible_rows_are_searched_whole_and_many_are_decoded():
    few, many = table_of(whole(9), whole(8), whole(7)), table_of(*[whole(40) for _ in range(5)])
    assert by_hand(few) > 0.9
    assert by_hand(many) > 0.9
    assert audit(few) == audit(many) == "red"


def test_what_is_rounded_to_its_spread_is_not_found():
    assert by_hand(table_of(*[whole(40) for _ in range(5)], rounding=1.0)) < 0.1


def test_rows_of_any_number_are_not_found():
    columns = [draw_column(80, [], RNG, "any number") for _ in range(4)]
    assert by_hand(table_of(*columns)) <= 0


def test_tables_change_in_one_thing_and_stay_tables():
    table = draw_table(RNG)
    for _ in range(9):
        table = change(table, RNG)
        assert table.rows.shape[1] == len(table.bounds[0])
        assert 1 <= table.setting.n_components <= table.rows.shape[1]


def test_an_audit_that_is_always_green_is_found_out(monkeypatch):
    monkeypatch.setattr(campaign, "audit", lambda table: "green")
    tried = search(12, np.random.default_rng(1))
    assert any(level == "green" for _, _, level in tried)
    *_, last = campaign.attempt(0.01, 0)
    assert last.failures > 0
