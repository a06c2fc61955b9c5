import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from consilience.by_files import by_files
from consilience.consensus.by_files import audit, send
from consilience.consensus.local_step import LocalStep
from consilience.exceptions import StudyError
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
"""
STEP = LocalStep(KMeans(2), similarity="euclidean")


@pytest.fixture
def peers(tmp_path):
    """Two peers whose tables have another order, and rows of their own."""
    tables = {
        NAMES[0]: pd.DataFrame({"id": list("abcdef"), "income": [10, 11, 90, 91, 92, 12]}),
        NAMES[1]: pd.DataFrame({"id": list("fdcbaz"), "claims": [1, 9, 9, 1, 1, 5]}),
    }
    text, identities = TEXT, {name: Identity.new(name) for name in NAMES}
    for name, identity in identities.items():
        public = identity.public
        text += f'[keys."{name}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    made = {}
    for name, table in tables.items():
        folder = PrivateFolder(tmp_path / name)
        folder.write_identity(identities[name])
        folder.write_key("row", b"k" * 32)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        me = Participant(Study.from_text(text), name, folder)
        made[name] = me, Source(tmp_path / f"{name}.csv", "id")
    return made


def exchange(peers, **options):
    """Carry letters between the peers until each has its outcome."""
    letters, outcomes = {}, {}
    for _ in range(20):
        for name, (me, source) in peers.items():
            arrived = [letter for letter in letters.values() if letter.message.recipient == name]
            leaving = send(me, source, arrived=arrived, there=letters, step=STEP, **options)
            letters |= {letter.file: letter for letter in leaving.letters}
            if leaving.outcome is not None:
                outcomes[name] = leaving.outcome()
        if len(outcomes) == 2:
            return {
                name: outcome.table.set_index("id").cluster for name, outcome in outcomes.items()
            }
    raise AssertionError("no outcome")


@pytest.mark.parametrize("scale", ["standard", "bounds", "none"])
def test_tables_in_any_order_with_rows_of_their_own_get_the_same_clusters(peers, scale):
    found = exchange(peers, scale=scale)
    bank, insurer = (found[name] for name in NAMES)
    assert bank[["a", "b", "f"]].nunique() == 1
    assert bank["c"] == bank["d"] != bank["a"]
    assert pd.isna(bank["e"])
    assert pd.isna(insurer["z"])
    assert (insurer[list("abcdf")] == bank[list("abcdf")]).all()


def test_what_would_leave_is_shown_and_whom_one_waits_for(peers):
    me, source = peers[NAMES[0]]
    leaving = send(me, source, arrived=[], step=STEP)
    assert [type(letter.message).__name__ for letter in leaving.letters] == ["Outline"]
    assert ("rows, by pseudonym", "6; those all peers hold are clustered") in leaving.shown
    assert leaving.waiting_for == (NAMES[1],)
    assert leaving.outcome is None


@pytest.mark.parametrize("verb", ["contribute", "analyse", "label"])
def test_nobody_solves_or_answers_among_peers(peers, verb):
    with pytest.raises(StudyError, match="its roles take part by `consilience peer`"):
        by_files(peers[NAMES[0]][0].study, verb)


def test_an_audit_has_no_frontier_and_knows_the_limit_of_the_study(peers, tmp_path):
    study = Study.from_text("max_reconstruction = 0.1\n" + TEXT)
    table = pd.DataFrame({"id": range(200), "income": np.linspace(0, 100, 200)})
    table.to_csv(tmp_path / "t.csv", index=False)
    source = Source(tmp_path / "t.csv", "id")
    with pytest.raises(StudyError, match="has no frontier"):
        audit(study, NAMES[0], source, frontier=True)
    assert "Look for fewer clusters" in audit(study, NAMES[0], source, n_repeats=1, seed=0).refusal
