import numpy as np
import pandas as pd

from benchmarks.tables import published
from benchmarks.vertcohirf.methods import ALONE, CAI, MISREAD
from benchmarks.vertcohirf.trials import DEALT, partition, prepare, table_1


def save(folder, name, frame):
    frame.assign(label=np.arange(len(frame)) % 3).to_csv(folder / f"{name}.csv.gz", index=False)


def test_numbers_are_standardised_and_the_categories_of_nursery_become_columns(tmp_path):
    save(tmp_path, "nursery", pd.DataFrame({"a": list("xyz") * 4, "b": list("uv") * 6}))
    save(tmp_path, "coil20", pd.DataFrame({"a": np.arange(12.0), "b": 1.0}))
    assert prepare("nursery", tmp_path)[0].shape == (12, 2 + 1)
    X, y = prepare("coil20", tmp_path)
    np.testing.assert_allclose(X.std(axis=0), [1, 0])
    assert y.tolist() == [0, 1, 2] * 4


def test_a_partition_measures_the_cells_of_its_tables_and_the_gain_over_staying_alone(tmp_path):
    rng = np.random.default_rng(0)
    rows = 9 * np.eye(3)[np.arange(45) % 3] @ rng.normal(size=(3, 9)) + rng.normal(size=(45, 9))
    save(tmp_path, "garber-2001", pd.DataFrame(rows, columns=[f"x{k}" for k in range(9)]))
    cells = published("vertcohirf").query("data == 'garber-2001'")
    found = dict(partition(cells, "garber-2001", tmp_path, 2, 0))
    table = cells.table[cells.metric == "ARI"].iloc[0]
    alone = found[table, "garber-2001", DEALT, ALONE, "ARI"]
    gain = found[table, "garber-2001", DEALT, "Distr.KMeans", "ARI diff"]
    assert gain == found[table, "garber-2001", DEALT, "Distr.KMeans", "ARI"] - alone
    assert (table, "garber-2001", DEALT, CAI, "ARI") in found
    assert {cell[3] for cell in found} == {*cells.method, CAI, MISREAD}


def test_two_bases_that_fit_beat_every_peer_alone():
    found = {cell[3:]: value for cell, value in table_1(2, 0)}
    ours = found["VertCoHiRF(DBSCAN, k-means)", "ARI mean"]
    assert ours > found[ALONE, "ARI mean"]
    assert found[ALONE, "ARI mean"] == np.mean([found[ALONE, f"ARI peer {k}"] for k in (0, 1)])
