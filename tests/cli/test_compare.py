import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.exceptions import StudyError


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=200)
    frame = pd.DataFrame(
        {
            "patient": np.arange(200),
            "age": np.where(rng.random(200) < 0.05, np.nan, 40 + 20 * kind + rng.normal(size=200)),
            "weight": 70 + 15 * kind + rng.normal(size=200),
            "smoker": np.where(kind == rng.integers(2, size=200), "yes", "no"),
            "hospital": np.array(["north", "south"])[np.arange(200) % 2],
            "diagnosis": np.array(["a", "b"])[kind],
        }
    )
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def run(*arguments):
    result = CliRunner().invoke(app, ["compare", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_table_with_texts_and_gaps_is_compared_and_written(table, tmp_path):
    out = tmp_path / "out"
    options = ["--data", table, "--id", "patient", "--parties", "hospital", "--clusters", "2"]
    chosen = ["--method", "collaboration", "--method", "k-FED", "--classes", "diagnosis"]
    result = run(*options, *chosen, "--out", out)
    assert "k-FED" in result.stdout
    written = pd.read_csv(out / "comparison.csv", index_col="method")
    assert written.index.tolist() == ["pooled", "collaboration", "k-FED"]
    assert written.loc["collaboration", "ARI"] > 0.9
    assert (out / "comparison.png").stat().st_size > 10_000


def test_json_has_a_line_for_each_method_and_the_reasons(table):
    options = ["--data", table, "--id", "patient", "--ignore", "hospital", "--ignore", "diagnosis"]
    split = ["--columns", "age,smoker", "--columns", "weight", "--clusters", "2"]
    result = run(*options, *split, "--method", "consensus", "--method", "k-FED", "--json")
    told = json.loads(result.stdout)
    assert list(told["methods"]) == ["pooled", "consensus"]
    assert "different columns" in told["left out"]["k-FED"]


def test_columns_that_are_left_out_are_named(table):
    with pytest.raises(StudyError, match=r"leaves out: .*weight"):
        run("--data", table, "--id", "patient", "--columns", "age", "--ignore", "smoker")


def test_columns_are_named_once_and_are_there(table):
    options = ["--data", table, "--id", "patient", "--columns", "age,height", "--columns", "age"]
    with pytest.raises(StudyError) as refused:
        run(*options)
    said = str(refused.value)
    assert "names what the table has not: ['height'], leaves out: ['weight'" in said
    assert "names more than once: ['age']; name every column once" in said


@pytest.mark.parametrize("option", ["--parties", "--classes"])
def test_ids_are_neither_institutions_nor_classes(table, option):
    with pytest.raises(StudyError, match=r"'patient' holds the ids of the rows.* with --id"):
        run("--data", table, "--id", "patient", option, "patient")
