"""How far a match is, from what a holder kept of it."""

import pytest

from consilience.psi.waiting import awaited_match

pytest.importorskip("rbcl", reason="needs the extra 'psi'")


def test_a_holder_waits_until_its_ids_have_been_round(cli, new_case):
    case = new_case(rows=("a",), n=(30,), ids={"match": "psi"})
    lab, life = case.parties

    def match(party, *files):
        own = ("--as", party, "--data", case.data(party), "--id", "patient id")
        result = cli("match", case.path, *files, *own, "--yes", "--out", case.folder)
        assert result.code == 0, result.err
        return [awaited_match(case.study, name, case.private(name)) for name in (lab, life)]

    waiting = ["ids that a/life passes on", "ids that a/lab passes on"]
    assert match(lab) == waiting
    assert match(life, case.folder / "a.life.1.match") == waiting
    assert match(lab, case.folder / "a.lab.2.match") == ["", "ids that a/lab passes on"]
    assert match(life, case.folder / "a.life.3.match") == ["", ""]
