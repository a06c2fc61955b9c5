import numpy as np
import pandas as pd
import pytest

from benchmarks.scaling import (
    BOUNDS,
    HELD_OUT,
    MIXED,
    NUMERIC,
    SCALINGS,
    groups_of,
    main,
    schema_of,
    tables,
)


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra 'io'")
    rng = np.random.default_rng(0)
    y = np.arange(90) % 2
    table = {"age": 5 * y + rng.normal(size=90), "gain": rng.exponential(size=90)}
    table |= {"ward": rng.choice(["n", "s", "w"], 90), "sex": rng.choice(["f", "m"], 90)}
    pd.DataFrame({**table, "label": y}).to_parquet(tmp_path / "adult.parquet")
    return tmp_path


def test_half_of_the_sets_of_either_list_is_held_out():
    assert sum(name in MIXED for name in HELD_OUT) == len(MIXED) // 2
    assert sum(name in NUMERIC for name in HELD_OUT) == len(NUMERIC) // 2
    assert not set(MIXED) & set(NUMERIC)


def test_categories_of_a_column_stay_together(folder):
    table = pd.read_parquet(folder / "adult.parquet").drop(columns="label")
    schema = schema_of(table, table[:30])
    assert schema.feature_names[2:5] == ["ward=n", "ward=s", "ward=w"]
    assert groups_of(schema) == [[0, 2, 3, 4], [1, 5, 6]]
    assert schema.columns["age"].spread is not None
    wide = schema_of(table, table[:30], beyond=2.0, rng=np.random.default_rng(0))
    assert wide.columns["age"].bounds[0] < schema.columns["age"].bounds[0]
    assert wide.columns["age"].spread == schema.columns["age"].spread
    assert schema_of(table, table[:30], shares=True).columns["ward"].spread < 1


def test_a_line_for_every_kind_and_scaling_and_tables_of_them(folder, tmp_path, capsys):
    main(str(folder), "1", "adult")
    printed = capsys.readouterr().out
    results = tmp_path / "scaling.csv"
    results.write_text(printed)
    read = pd.read_csv(results)
    assert len(read) == 4 * len(BOUNDS) * len(SCALINGS)
    assert set(read.half) == {"held out"}
    assert read[read.kind == "clusters"][["agreement", "classes", "pooled"]].notna().all(axis=None)
    tables(str(results))
    page = capsys.readouterr().out
    assert "| held out | clusters | wide | mixed (1) |" in page
    assert "| held out | tight | adult |" in page
    assert "chosen on" not in page
