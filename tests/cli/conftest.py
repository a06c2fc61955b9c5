"""What tests of several verbs need."""

import pytest

ID = "patient id"


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
