"""Rules for spreads: what each does to numbers and to categories, and on which sets."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.scaling import FRESH, HELD_OUT
from benchmarks.scaling_rules import CHOSEN_ON, main, spreads_by_rule
from consilience.study.schema import Categorical, Numeric, Schema


def test_no_set_that_is_reported_on_is_chosen_on():
    assert len(CHOSEN_ON) == 13
    assert not set(CHOSEN_ON) & {*HELD_OUT, *FRESH}


def test_rules_change_what_they_say_and_no_more():
    schema = Schema(
        columns={
            "gain": Numeric(bounds=(0, 800), center=1, spread=2),
            "ward": Categorical(categories=("a", "b", "c", "d", "e")),
        }
    )
    rules = spreads_by_rule(schema, pd.DataFrame({"gain": np.arange(11.0)}))
    drafted = rules.pop("as drafted")
    assert drafted[0] == 2
    assert np.isclose(drafted[1:] ** 2, 0.8).all()
    assert rules["at least an eighth"][0] == 100
    assert rules["at least a fortieth"][0] == 20
    assert np.isclose(rules["by quantiles"][0], 8 / 2.563)
    assert np.isclose(rules["K - 1"][1:], drafted[1:] / 2).all()
    for rule in ("K - 1", "root of K - 1"):
        assert rules[rule][0] == 2


def test_a_line_for_every_rule(tmp_path, capsys):
    pytest.importorskip("pyarrow", reason="needs the extra 'io'")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=60), "ward": ["n", "s", "w"] * 20, "label": [0, 1] * 30})  # fmt: skip  # noqa: E501
    table.to_parquet(tmp_path / "credit-g.parquet")
    main(str(tmp_path), "credit-g")
    assert len(capsys.readouterr().out.splitlines()) == 1 + 7
