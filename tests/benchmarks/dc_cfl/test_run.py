"""The tables of DC-CFL: every published cell stays, and a small run fills them all."""

import pandas as pd
from sklearn.linear_model import LogisticRegression

from benchmarks.dc_cfl import methods, problems, run, trials
from benchmarks.dc_cfl.problems import SETS, SPLITS
from benchmarks.tables import CELL, Trials, published


def test_both_tables_of_the_paper_are_there():
    reference = published("dc_cfl")
    assert reference.groupby("table").size().to_dict() == {"Table 2": 63, "Table 3": 6}
    assert not reference.duplicated(CELL).any()
    best = reference.query("table == 'Table 2' and data == 'gesture' and setting == 'C=2'")
    assert best.loc[best.published.idxmax(), "method"] == "DC-CFL"


def test_a_small_run_keeps_every_published_cell_and_writes_a_page(write, save, monkeypatch):
    folder = save("covertype_kaggle", 120, 4, 4)
    monkeypatch.setattr(run, "SETS", {"covertype": SETS["covertype"]})
    monkeypatch.setattr(problems, "N_PARTIES", 4)
    monkeypatch.setattr(trials, "LONG", 5)
    monkeypatch.setattr(methods, "N_ANCHOR", 30)
    for method, (make, grid) in methods.FEDERATED.items():
        monkeypatch.setitem(methods.FEDERATED, method, (make, grid[:2]))
    monkeypatch.setattr(trials, "learners", lambda: {"logistic": LogisticRegression()})
    names = write(run)
    assert {"dc-cfl.csv", "dc-cfl-rounds.csv", "dc-cfl-thresholds.csv"} <= names
    assert {"bench-dc-cfl.md", "dc-cfl-rounds.png", "dc-cfl-thresholds.png"} <= names
    table = pd.read_csv(folder / "benchmarks" / "results" / "dc-cfl.csv")
    accuracy = table[(table.table == "Table 2") & (table.metric == "accuracy")]
    assert accuracy.published.notna().sum() == 63
    measured = accuracy[accuracy.data == "covertype"]
    assert len(measured) == len(SPLITS) * 8  # with "gap"
    assert measured.ours.between(0, 1).all()
    assert (measured[measured.method == "Local"].ours > 0.5).all()
    curves = pd.read_csv(folder / "benchmarks" / "results" / "dc-cfl-rounds.csv")
    assert curves.groupby(["data", "setting", "method"]).size().eq(5).all()
    assert len(curves) == 5 * (2 + 3)
    page = (folder / "docs" / "bench-dc-cfl.md").read_text(encoding="utf-8")
    for part in ("Table 2", "Table 3", "Figures 2 and 3", "Bytes", "stronger learners", "logistic"):
        assert part in page


def test_rounds_are_counted_until_the_mean_curve_reaches_dc_cfl():
    cell = ("Table 2", "covertype", "C=2", "DC-CFL", "accuracy")
    measured = Trials({"seed": [(cell, 0.7), (cell, 0.9)]})
    curves = [("FedClust", 0.55), ("FedClust", 0.75), ("FedClust", 0.85), ("FedAvg", 0.3)]
    rounds = pd.DataFrame(curves, columns=["method", "accuracy"])
    run._table_3(measured, rounds.assign(data="covertype", setting="C=2", round=[1, 2, 3, 1]))
    found = measured.summary().query("table == 'Table 3'")
    assert found[["method", "ours"]].to_numpy().tolist() == [["FedClust", 3.0]]
