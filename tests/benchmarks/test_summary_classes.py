"""Classes from summaries against DC-CFL: every way learns something that can be learnt."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import summary_classes
from benchmarks.dc_cfl.problems import share


def problem():
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 3
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[y] + rng.normal(size=(3000, 2))
    return share(X, y, "C=2", 0, 3)


@pytest.mark.parametrize("way", summary_classes.WAYS)
def test_every_way_predicts_the_test_rows_of_every_institution(way):
    pytest.importorskip("opendp")
    made = problem()
    learn, epsilons = summary_classes.WAYS[way]
    found = made.mean_over_parties(learn(made, epsilons[-1]))
    assert found > (0.5 if "noise" in way else 0.9)


def test_what_is_measured_is_kept_and_not_measured_again(monkeypatch, tmp_path):
    asked = []

    def compare(name, n_parties, split):
        asked.append(name)
        yield {"data": name, "institutions": n_parties, "split": split, "accuracy": 1.0}

    monkeypatch.setattr(summary_classes, "RESULTS", tmp_path / "found.csv")
    monkeypatch.setattr(summary_classes, "compare", compare)
    summary_classes.main()
    summary_classes.main()
    assert len(asked) == len(pd.read_csv(tmp_path / "found.csv")) == 3 * len(summary_classes.GRIDS)
