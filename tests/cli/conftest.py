"""Small studies of every kind, for tests of verbs that do for all of them what each one needs."""

import numpy as np
import pytest

ID = "patient id"
LEARNING = {"holder": "lab", "target": "ill", "classes": ["no", "yes"]}
KIND_TERMS = {
    "clusters": {},
    "classes": {"learning": LEARNING},
    "groups": {"learning": {**LEARNING, "labels": "distribution", "threshold": 0.2}},
    "peers": {"rows": ("a",), "n": (30,), "consensus": {"max_iter": 1}},
    "stream": {"columns": ("bills",), "stream": {}},
    "summaries": {"columns": ("bills",)},
}


def add_classes(case, classes=("no", "yes")):
    """Give the parties of lab the class of each of their rows, which all columns tell apart."""
    for party, table in case.tables.items():
        if party.endswith("/lab"):
            table["ill"] = np.array(classes)[(table.age > 60).astype(int)]
    case.save_tables()
    return case


@pytest.fixture
def of_kind(new_case):
    """Build a study that states its kind: ``of_kind("peers")``."""

    def make(kind, **changes):
        case = new_case(**{**KIND_TERMS[kind], **changes})
        if kind != "clusters":
            del case.terms["clustering"]
        case.terms = {"kind": kind, **case.terms}
        case.write()
        return add_classes(case) if "learning" in case.terms else case

    return make


@pytest.fixture
def command():
    """Return the words by which a party, or the analyst, uses a verb, and a file it may read."""

    def words(case, verb, role, *more, file=None):
        own = ("--as", role, "--data", case.data(role), "--id", ID)
        out, file = case.folder / "out", file or case.path
        given = {
            "contribute": (*own, "--yes", "--out", out),
            "analyse": (file, "--out", out),
            "label": (file, *own, "--out", out / "labels.csv"),
            "report": (file, *own, "--out", out / "page.html"),
            "audit": (*own, "--repeats", 2),
            "peer": (*own, "--yes", "--files", out, "--out", case.folder / f"{role[2:]}.csv"),
            "stream": (*own, "--window", 0, "--yes", "--out", out),
        }
        return [verb, case.path, *given[verb], *more]

    return words


@pytest.fixture
def answered(cli):
    """Contribute, analyse, and return what the analyst says."""

    def solve(case, *more, parties=None):
        case.contribute(*(parties or case.parties))
        sent = [case.sent(party) for party in parties or case.parties]
        result = cli(*case.analyse_command(*more, paths=sent))
        assert result.code == 0, result.err
        return result.out

    return solve
