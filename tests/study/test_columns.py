"""Bad terms of columns are tried through a schema, in ``test_schema.py``."""

import pytest

from consilience.study.columns import Categorical, Date, Numeric, Ordinal


def test_a_column_says_what_is_usual_from_what_is_public():
    assert (Numeric(bounds=(0, 8)).middle, Numeric(bounds=(0, 8)).usual_spread) == (4, 2)
    assert Numeric(bounds=(0, 8), center=1, spread=3).usual_spread == 3
    assert Date(first="2020-01-01", last="2020-01-11").bounds == (0, 10)
    assert Ordinal(categories=("low", "middle", "high")).middle == 1
    assert Categorical(categories=("n", "s")).usual_spread == pytest.approx(0.5**0.5)
