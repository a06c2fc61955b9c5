import numpy as np
import pandas as pd
import pytest
from consilience.consensus.participation import label_peer_rows, make_peer
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.study.study import Study
from consilience.transports import deliver

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank", "insurer"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
[schema.insurer]
claims = {kind = "numeric", bounds = [0, 10]}
[consensus]
seed = 7
"""
STEP = LocalStep(KMeans(2), similarity="euclidean")


@pytest.mark.parametrize("scale", ["standard", "bounds", "none"])
def test_tables_in_any_order_with_rows_of_their_own(tmp_path, scale):
    study = Study.from_text(TEXT)
    bank = pd.DataFrame({"id": list("abcdef"), "income": [10, 11, 90, 91, 92, 12]})
    insurer = pd.DataFrame({"key": list("fdcbaz"), "claims": [1, 9, 9, 1, 1, 5]})
    bank.to_csv(tmp_path / "bank.csv", index=False)
    insurer.to_csv(tmp_path / "insurer.csv", index=False)
    made = {
        "people/bank": make_peer(
            study, "people/bank", tmp_path / "bank.csv", "id", b"k" * 32, STEP, scale=scale
        ),
        "people/insurer": make_peer(
            study, "people/insurer", tmp_path / "insurer.csv", "key", b"k" * 32, STEP, scale=scale
        ),
    }
    roles = {name: peer for name, (peer, _) in made.items()}
    deliver([m for role in roles.values() for m in role.begin()], roles)
    table = label_peer_rows(*made["people/bank"]).set_index("id").cluster
    assert table[["a", "b", "f"]].nunique() == 1
    assert table["c"] == table["d"] != table["a"]
    assert pd.isna(table["e"])
    other = label_peer_rows(*made["people/insurer"]).set_index("key").cluster
    assert pd.isna(other["z"])
    assert (other[list("abcdf")] == table[list("abcdf")]).all()


def test_standard_units_are_those_of_the_own_rows(tmp_path):
    study = Study.from_text(TEXT)
    pd.DataFrame({"id": list("abc"), "income": [10, 20, 30]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    peer, _ = make_peer(study, "people/bank", tmp_path / "t.csv", "id", b"k" * 32, STEP)
    np.testing.assert_allclose(np.sort(peer._X.ravel()), [-1.224745, 0, 1.224745], atol=1e-6)
