"""Groups by label counts alone, through files: counts leave, groups come back, a study follows."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from consilience.messages import LabelCounts
from consilience.study import ANALYST, Study
from consilience.transports.bundle import read_bundle

ID = "patient id"
MIXES = {"a": 0.2, "b": 0.25, "c": 0.8}
LEARNING = {"holder": "lab", "target": "ill", "classes": ["yes", "no"], "labels": "distribution"}


@pytest.fixture
def make(new_case):
    """Build a study of three institutions, one of which has another label mix."""

    def build(mixes=MIXES, columns=("lab",), grid=None, **learning):
        terms = {**LEARNING, "threshold": 0.2, **learning}
        case = new_case(
            rows=tuple(mixes), n=(40,) * len(mixes), columns=columns, learning=terms,
            grid=grid or {},
        )  # fmt: skip
        for row, share in mixes.items():
            table = case.tables[f"{row}/lab"]
            table["ill"] = np.where(np.arange(40) < 40 * share, "yes", "no")
        case.save_tables()
        return case

    return build


def solve(cli, case, *more, parties=None):
    for party in parties or case.parties:
        result = cli(*case.contribute_command(party))
        assert result.code == 0, result.err
    sent = [case.sent(party) for party in parties or case.parties]
    return cli(*case.analyse_command(*more, paths=sent))


def test_counts_leave_and_groups_come_back(cli, make):
    case = make()
    shown = " ".join(cli(*case.contribute_command("a/lab")).out.split())
    assert "no: 32, yes: 8" in shown
    assert "nothing: no coordinates, no class, no pseudonym" in shown
    message, _ = read_bundle(
        case.sent("a/lab"), study=case.study, identity=case.identities[ANALYST]
    )
    assert isinstance(message, LabelCounts)
    assert message.counts.tolist() == [32, 8]
    solved = solve(cli, case, "--json", "--report", case.folder / "analyst.html")
    assert json.loads(solved.out)["groups"] == {"a": 0, "b": 0, "c": 1}
    page = (case.folder / "analyst.html").read_text()
    assert "no row of any party ever came here" in page
    assert re.search(r"a\D+0\D+32\D+8\D+80%\D+20%", re.sub(r"<[^>]*>", " ", page))
    result = cli(*case.label_command("a/lab", "--report", case.folder / "a.html"))
    assert result.code == 0, result.err
    table = pd.read_csv(case.folder / "a.lab.labels.csv")
    assert dict(zip(table.institution, table.group, strict=True)) == {"a": 0, "b": 0, "c": 1}
    assert "in which a would learn together with b, the others of group 0" in " ".join(
        result.out.split()
    )
    page = (case.folder / "a.html").read_text()
    assert "how many rows of each class it has" in page
    assert "data:image/svg+xml" in page
    result = cli(*case.label_command("c/lab"))
    assert "c is alone in group 1: learn at home" in " ".join(result.out.split())
    assert not (case.folder / "c.lab.labels-study.toml").exists()


def test_the_study_of_the_group_is_the_same_at_its_members_and_runs(cli, make):
    case = make(answer="model", estimator="ridge")
    assert solve(cli, case).code == 0
    digests = set()
    for party in ("a/lab", "b/lab"):
        assert cli(*case.label_command(party)).code == 0
        path = case.folder / f"{party.replace('/', '.')}.labels-study.toml"
        digests.add(Study.load(path).digest)
    assert len(digests) == 1
    data = {p: ("--as", p, "--data", case.data(p), "--id", ID) for p in ("a/lab", "b/lab")}
    for given in data.values():
        result = cli("contribute", path, *given, "--yes", "--out", case.folder / "second")
        assert result.code == 0, result.err
        assert "the analyst learns them" in " ".join(result.out.split())
    sent = sorted((case.folder / "second").glob("*.contribution"))
    assert cli("analyse", path, *sent, "--out", case.folder / "told").code == 0
    new = ("--new-data", case.data("a/lab"), "--out", case.folder / "new.csv")
    answer = case.folder / "told" / "a.lab.answer"
    result = cli("label", path, answer, *data["a/lab"], *new)
    assert result.code == 0, result.err
    assert set(pd.read_csv(case.folder / "new.csv").prediction) <= {"no", "yes"}


def test_noise_is_charged_and_the_budget_ends(cli, make):
    pytest.importorskip("opendp")
    case = make(epsilon=1.0, budget=1.5)
    result = cli(*case.contribute_command("a/lab"))
    assert result.code == 0, result.err
    assert "epsilon 1 of 1.5" in " ".join(result.out.split())
    entry = case.private("a/lab").ledger.entries()[-1]
    assert (entry["epsilon"], entry["spent"]) == (1.0, 1.0)
    before = case.sent("a/lab").read_bytes()
    result = cli(*case.contribute_command("a/lab"))
    assert result.code == 2
    assert "costs epsilon 1.0, but 1.0 of 1.5 is spent" in " ".join(result.err.split())
    assert case.sent("a/lab").read_bytes() == before


def test_a_late_institution_takes_the_nearest_group(cli, make):
    case = make({"a": 0.2, "b": 0.3, "c": 0.9, "d": 0.12}, grid={"missing_party": "go on"},
                threshold=0.15)  # fmt: skip
    early = ["a/lab", "b/lab", "c/lab"]
    first = solve(cli, case, "--json", parties=early)
    assert json.loads(first.out)["groups"] == {"a": 0, "b": 0, "c": 1}
    # Grouped anew, d would take a away from b; as a newcomer it joins them.
    again = json.loads(solve(cli, case, "--json").out)["groups"]
    assert again["a"] != again["b"]
    late = json.loads(solve(cli, case, "--json", "--newcomer", "d").out)["groups"]
    assert late == {"a": 0, "b": 0, "c": 1, "d": 0}
    result = solve(cli, case, "--newcomer", "x")
    assert result.code == 2
    assert "must be row institutions of the study" in " ".join(result.err.split())


def test_what_cannot_be_counted_is_refused(cli, make):
    case = make(columns=("lab", "life"))
    result = cli(*case.contribute_command("a/life"))
    assert "'a/life' has nothing to send" in " ".join(result.err.split())
    table = case.tables["a/lab"]
    for change, reason in (
        ({"ill": None}, "has no row of any of the 2 classes of the study"),
        ({"ill": "perhaps"}, "40 rows have a class that is not among the 2 classes"),
    ):
        case.tables["a/lab"] = table.assign(**change)
        case.save_tables()
        result = cli(*case.contribute_command("a/lab"))
        assert result.code == 2
        assert reason in " ".join(result.err.split())
    case.tables["a/lab"] = table.drop(columns="ill")
    case.save_tables()
    assert "has no column 'ill'" in " ".join(cli(*case.contribute_command("a/lab")).err.split())
    result = cli("audit", case.path, "--as", "a/lab", "--data", case.data("a/lab"), "--id", ID)
    assert "there are no rows to rebuild" in " ".join(result.err.split())


def test_new_rows_have_no_class_yet(cli, make):
    case = make()
    assert solve(cli, case).code == 0
    result = cli(*case.label_command("a/lab", "--new-data", case.data("a/lab")))
    assert result.code == 2
    assert "--new-data needs the study of your group" in " ".join(result.err.split())


def test_one_class_each_is_a_mix_like_any_other(cli, make):
    case = make({"a": 0.0, "b": 0.0, "c": 1.0})
    assert json.loads(solve(cli, case, "--json").out)["groups"] == {"a": 0, "b": 0, "c": 1}


def test_a_threshold_outside_its_range_is_refused_by_line(cli, make):
    case = make()
    text = case.path.read_text().replace('"threshold" = 0.2', '"threshold" = 1.2')
    case.path.write_text(text)
    result = cli(*case.contribute_command("a/lab"))
    assert result.code == 2
    assert "learning.threshold" in " ".join(result.err.split())
