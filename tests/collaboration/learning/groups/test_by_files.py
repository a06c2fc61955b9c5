"""A study of groups, from answers to who is with whom and to the study that follows."""

import numpy as np
import pandas as pd
import pytest

from consilience.study.study import Study

ID = "patient id"


def label(cli, case, party, *more):
    """Run label; return what it says and what it wrote."""
    result = cli(*case.label_command(party, *more))
    assert result.code == 0, result.err
    file = case.folder / f"{party.replace('/', '.')}.labels.csv"
    return " ".join(result.out.split()), pd.read_csv(file)


@pytest.fixture
def grouped(of_kind, answered):
    """Solve a study of three institutions, one of which has another label mix."""
    case = of_kind("groups", rows=("a", "b", "c"), n=(40, 40, 40), columns=("lab",))
    case.terms["learning"] |= {"answer": "model"}
    for row, share in {"a": 0.2, "b": 0.25, "c": 0.8}.items():
        case.tables[f"{row}/lab"]["ill"] = np.where(np.arange(40) < 40 * share, "yes", "no")
    case.save_tables()
    answered(case.write())
    return case


def test_a_party_learns_who_is_with_whom(cli, grouped):
    page = grouped.folder / "a.html"
    said, table = label(cli, grouped, "a/lab", "--report", page)
    assert dict(zip(table.institution, table.group, strict=True)) == {"a": 0, "b": 0, "c": 1}
    assert "in which a would learn together with b, the others of group 0" in said
    assert "how many rows of each class it has" in page.read_text()
    assert "data:image/svg+xml" in page.read_text()
    said, _ = label(cli, grouped, "c/lab")
    assert "c is alone in group 1: learn at home" in said
    assert not (grouped.folder / "c.lab.labels-study.toml").exists()
    result = cli(*grouped.label_command("a/lab", "--new-data", grouped.data("a/lab")))
    assert (result.code, "--new-data needs the study of your group" in result.err) == (2, True)


def test_the_study_of_the_group_is_the_same_at_its_members_and_runs(cli, grouped):
    case, digests = grouped, set()
    for party in ("a/lab", "b/lab"):
        label(cli, case, party)
        path = case.folder / f"{party.replace('/', '.')}.labels-study.toml"
        digests.add(Study.load(path).digest)
    assert len(digests) == 1
    data = {p: ("--as", p, "--data", case.data(p), "--id", ID) for p in ("a/lab", "b/lab")}
    for given in data.values():
        result = cli("contribute", path, *given, "--yes", "--out", case.folder / "second")
        assert result.code == 0, result.err
    sent = sorted((case.folder / "second").glob("*.contribution"))
    # It is another study than the one of the groups, which the analyst relied on.
    solved = cli("analyse", path, *sent, "--out", case.folder / "told", "--accept")
    assert solved.code == 0, solved.err
    new = ("--new-data", case.data("a/lab"), "--out", case.folder / "new.csv")
    result = cli("label", path, case.folder / "told" / "a.lab.answer", *data["a/lab"], *new)
    assert result.code == 0, result.err
    assert set(pd.read_csv(case.folder / "new.csv").prediction) <= {"no", "yes"}
