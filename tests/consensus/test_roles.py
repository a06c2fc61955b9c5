import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.roles import in_units, make_peer
from consilience.sources.source import Source
from consilience.study.identity import Identity
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

NAMES = ("people/bank", "people/insurer")
TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank", "insurer"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
[schema.insurer]
claims = {kind = "numeric", bounds = [0, 10]}
[consensus]
seed = 7
max_iter = 3
"""


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("standard", [-1.224745, 0, 1.224745]), ("bounds", [0.1, 0.2, 0.3]), ("none", [10, 20, 30])],
)
def test_units_are_those_of_the_own_rows_of_the_bounds_or_none(scale, expected):
    X = np.array([[10.0], [20.0], [30.0]])
    found = in_units(X, Study.from_text(TEXT).schema_of("bank"), scale)
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-6)


def test_a_constant_column_has_no_spread_to_divide_by():
    assert not in_units(np.ones((3, 1)), Study.from_text(TEXT).schema_of("bank")).any()


def test_a_peer_keeps_the_terms_of_its_study_and_says_the_same_after_a_restart(tmp_path):
    identity, folder = Identity.new(NAMES[0]), PrivateFolder(tmp_path / "private")
    public = identity.public
    keys = f'[keys."{NAMES[0]}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    folder.write_identity(identity)
    folder.write_key("row", b"k" * 32)
    table = pd.DataFrame({"id": list("abc"), "income": [10, 20, 30]})
    table.to_csv(tmp_path / "bank.csv", index=False)
    me = Participant(Study.from_text(TEXT + keys), NAMES[0], folder)
    made = [
        make_peer(me, Source(tmp_path / "bank.csv", "id"), LocalStep(KMeans(2)))[0]
        for _ in range(2)
    ]
    assert (made[0].terms.seed, made[0].terms.max_iter, made[0].members) == (7, 3, NAMES)
    one, two = (peer.remember() for peer in made)
    assert one.secret == two.secret


def test_public_spreads_are_the_units_where_the_schema_states_them():
    X = np.array([[10.0], [20.0], [30.0]])
    plain = Study.from_text(TEXT).schema_of("bank")
    stated = Study.from_text(TEXT.replace("[0, 100]}", "[0, 100], spread = 5}")).schema_of("bank")
    np.testing.assert_allclose(in_units(X, stated).ravel(), [-2, 0, 2])
    np.testing.assert_allclose(in_units(X, plain), in_units(X, plain, "standard"))
