"""Questions about rows that come later, where columns are split between parties."""

import numpy as np
import pandas as pd
import pytest

from consilience.messages import Query

ID = "patient id"


def ask_command(case, party, table, *more):
    command = ["ask", case.path, "--as", party, "--private", case.private(party).path]
    command += ["--data", table, "--id", ID, "--out", case.folder / "questions", "--yes"]
    return [*command, "--override", "A. Tester", *more]


def later_rows(case, party):
    """A part of the rows again, under other ids: their labels are known."""
    table = case.tables[party].sort_values(ID).iloc[:9].copy()
    table[ID] = [f"NEW-{k}" for k in range(9)]
    path = case.folder / f"{party.replace('/', '.')}.new.csv"
    table.sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


def solve(cli, case, questions):
    command = case.analyse_command()
    return cli(*command, *questions)


@pytest.mark.parametrize("kind", ["clusters", "classes"])
def test_rows_that_come_later_get_the_labels_of_their_likes(cli, of_kind, kind):
    case = of_kind(kind)
    case.contribute()
    new = {party: later_rows(case, party) for party in ("a/lab", "a/life")}
    for party, path in new.items():
        assert (result := cli(*ask_command(case, party, path))).code == 0, result.err
    questions = sorted((case.folder / "questions").glob("*.question"))
    assert [path.name for path in questions] == ["a.lab.question", "a.life.question"]
    assert (result := solve(cli, case, questions)).code == 0, result.err
    before = pd.read_csv(labelled(cli, case, "a/lab", case.answer("a/lab")), index_col=ID)
    answer = case.answer("a/lab").with_name("a.lab.question.answer")
    after = pd.read_csv(labelled(cli, case, "a/lab", answer, new["a/lab"]), index_col=ID)
    expected = before.sort_index().iloc[:9].to_numpy().ravel()
    np.testing.assert_array_equal(after.sort_index().to_numpy().ravel(), expected)


def labelled(cli, case, party, answer, table=None):
    out = case.folder / f"{answer.name}.csv"
    command = case.label_command(party)
    command = [answer if str(part).endswith(".answer") else part for part in command]
    if table is not None:
        command[command.index("--data") + 1] = table
    command[command.index("--out") + 1] = out
    result = cli(*command)
    assert result.code == 0, result.err
    return out


def test_a_question_waits_for_those_who_hold_the_other_columns(cli, new_case):
    case = new_case().contribute()
    assert cli(*ask_command(case, "a/lab", later_rows(case, "a/lab"))).code == 0
    result = solve(cli, case, [case.folder / "questions" / "a.lab.question"])
    assert result.code == 0
    assert "wait for those of ['a/life']" in " ".join(result.err.split())
    assert not case.answer("a/lab").with_name("a.lab.question.answer").exists()


def test_who_never_contributed_cannot_ask(cli, new_case):
    case = new_case()
    result = cli(*ask_command(case, "a/lab", later_rows(case, "a/lab")))
    assert result.code == 2
    assert "Contribute first" in result.err
    assert not list((case.folder / "questions").glob("*.question"))


def test_what_left_is_in_the_ledger_and_nothing_of_the_rows(cli, new_case):
    case = new_case().contribute()
    path = later_rows(case, "a/lab")
    result = cli(*ask_command(case, "a/lab", path))
    entry = case.private("a/lab").ledger.entries()[-1]
    assert (entry["what"], entry["rows"]) == ("question", 9)
    assert "NEW-1" not in result.out + result.err


def test_labels_of_an_unknown_question_are_refused(cli, new_case):
    case = new_case().contribute()
    for party in ("a/lab", "a/life"):
        assert cli(*ask_command(case, party, later_rows(case, party))).code == 0
    assert solve(cli, case, sorted((case.folder / "questions").glob("*.question"))).code == 0
    ledger = case.private("a/lab").ledger
    ledger.path.with_suffix(".head").unlink()
    lines = ledger.path.read_text().splitlines()
    kept = [line for line in lines if '"question"' not in line]
    ledger.path.write_text("\n".join(kept) + "\n")
    answer = case.answer("a/lab").with_name("a.lab.question.answer")
    command = case.label_command("a/lab")
    result = cli(*[answer if str(part).endswith(".answer") else part for part in command])
    assert result.code == 2
    assert "not in your ledger" in " ".join(result.err.split())


def test_a_question_of_another_width_is_refused_in_words(cli, new_case):
    case = new_case().contribute()
    header = {"study": case.study.digest, "recipient": "analyst"}
    for party in ("a/lab", "a/life"):
        path = case.folder / f"{party.replace('/', '.')}.question"
        codes = np.arange(32, dtype=np.uint8).reshape(2, 16)
        query = Query(**header, sender=party, representation=np.ones((2, 1)), pseudonyms=codes)
        case.send(query, path)
    result = solve(cli, case, sorted(case.folder.glob("*.question")))
    assert result.code == 2
    assert "rows of 2 dimensions, but contributed" in " ".join(result.err.split())
