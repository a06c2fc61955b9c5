"""Small studies: whole, with the noise their name says, and other rows in every version."""

import pandas as pd
import pytest

from benchmarks.adversary.small_studies import KINDS, private_folder, small_study, write_table
from consilience.study.participant import Participant
from consilience.study.study import ANALYST, Study


@pytest.mark.parametrize("noise", KINDS)
def test_every_role_has_its_keys(tmp_path, noise):
    path = small_study(tmp_path / "study", noise)
    study = Study.load(path)
    assert study.method.kind == KINDS[noise][0]
    for role in (ANALYST, *study.grid.parties):
        assert Participant(study, role, private_folder(path, role)).identity.name == role


def test_versions_of_a_table_differ(tmp_path):
    for version in range(2):
        write_table(tmp_path / f"{version}.csv", "counts", version)
    first, second = (pd.read_csv(tmp_path / f"{k}.csv") for k in range(2))
    assert (first.columns == second.columns).all()
    assert not (first.age == second.age).all()
    assert (first.ill == "yes").sum() != (second.ill == "yes").sum()
