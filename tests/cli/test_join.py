"""Joining a study over a shared place: the same labels as by files, whatever its kind."""

import json
import shutil

import pandas as pd
import pytest

from consilience.cli.join import COME_BACK

ID = "patient id"


class Houses:
    """The roles of a study, each in a folder of its own, and the folder they share."""

    def __init__(self, case, place):
        self.case, self.place = case, place
        place.mkdir(exist_ok=True)
        for role in ("analyst", *case.parties):
            home = self.home(role)
            shutil.copytree(case.private(role).path, home / "private" / role.replace("/", "."))
        shutil.copy(case.path, self.home("analyst") / "study.toml")

    def home(self, role):
        return self.case.folder / "houses" / role.replace("/", ".")

    def command(self, role, *more, data=None):
        own = () if role == "analyst" else ("--data", data or self.case.data(role), "--id", ID)
        return ["join", self.place, "--as", role, *own, "--out", self.home(role), "--yes", *more]

    def labels(self, role):
        return pd.read_csv(self.home(role) / "labels.csv", dtype="string").set_index(ID)


def by_hand(houses, cli):
    """Take the same study through the verbs of files; noise that was drawn is shown again."""
    case, found = houses.case, {}
    senders = case.study.method.senders_to("analyst", case.study)
    for party in senders:
        private = ("--private", houses.home(party) / "private" / party.replace("/", "."))
        assert cli(*case.contribute_command(party, *private)).code == 0
    assert cli(*case.analyse_command(paths=[case.sent(p) for p in senders])).code == 0
    for party in senders:
        private = ("--private", houses.home(party) / "private" / party.replace("/", "."))
        assert cli(*case.label_command(party, *private)).code == 0
        path = case.folder / f"{party.replace('/', '.')}.labels.csv"
        found[party] = path.read_bytes()
    return found


@pytest.mark.parametrize("kind", ["clusters", "classes", "groups", "summaries"])
def test_joined_labels_are_those_of_a_study_by_files(of_kind, cli, tmp_path, kind):
    case = of_kind(kind)
    if kind == "summaries":
        pytest.importorskip("opendp", reason="needs the extra 'dp'")
    fewer = "b/bills" if kind == "summaries" else "b/lab"
    case.tables[fewer] = case.tables[fewer].drop(index=range(4))
    case.save_tables()
    houses = Houses(case, tmp_path / "share")
    senders = case.study.method.senders_to("analyst", case.study)
    assert cli(*houses.command("analyst", "--once")).code == COME_BACK
    for party in senders:
        result = cli(*houses.command(party, "--once"))
        assert result.code == COME_BACK, result.err
        assert "waiting for the analyst's answer" in result.err
    assert cli(*houses.command("analyst", "--once")).code == 0
    for party in senders:
        result = cli(*houses.command(party, "--once"))
        assert result.code == 0, result.err
        assert (houses.home(party) / "report.html").exists()
    for party, expected in by_hand(houses, cli).items():
        assert (houses.home(party) / "labels.csv").read_bytes() == expected


def test_everything_again_changes_and_sends_nothing(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    for role in ("analyst", *case.parties, "analyst", *case.parties):
        cli(*houses.command(role, "--once"))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "share").rglob("*")}
    written = [houses.home(p) / "labels.csv" for p in case.parties]
    labels = [path.stat().st_mtime_ns for path in written]
    for role in ("analyst", *case.parties):
        assert cli(*houses.command(role, "--once")).code == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "share").rglob("*")} == before
    assert [path.stat().st_mtime_ns for path in written] == labels


def test_keys_are_made_sent_and_taken_on_the_way(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    for party in case.parties:
        for key in (houses.home(party) / "private").rglob("*.key"):
            key.unlink()
    waiting = cli(*houses.command("analyst", "--once"))
    assert waiting.code == COME_BACK
    late = cli(*houses.command("b/life", "--once"))
    assert late.code == COME_BACK
    assert "waiting for keys of a/life, b/lab" in late.err
    for _ in range(3):
        for role in ("a/lab", "a/life", "b/lab", "b/life"):
            cli(*houses.command(role, "--once"))
    assert cli(*houses.command("analyst", "--once")).code == 0
    for party in case.parties:
        assert cli(*houses.command(party, "--once")).code == 0
        assert houses.labels(party)["cluster"].nunique() == 3


def test_a_changed_study_is_shown_and_not_obeyed(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    cli(*houses.command("analyst", "--once"))
    cli(*houses.command("a/lab", "--once"))
    case.terms["clustering"]["n_clusters"] = 2
    case.write()
    shutil.copy(case.path, houses.home("analyst") / "study.toml")
    cli(*houses.command("analyst", "--once"))
    refused = cli(*houses.command("a/lab", "--once"))
    assert refused.code == 2
    assert "clustering.n_clusters is 2 here and 3 there" in " ".join(refused.err.split())
    accepted = cli(*houses.command("a/lab", "--once", "--accept"))
    assert accepted.code == COME_BACK, accepted.err


def test_what_a_stranger_puts_in_the_name_of_a_party_is_passed_over(case, cli, tmp_path):
    from consilience.carriers.places import open_carrier

    houses = Houses(case, tmp_path / "share")
    for role in ("analyst", *case.parties):
        cli(*houses.command(role, "--once"))
    junk = tmp_path / "a.lab.contribution"
    junk.write_bytes(b"age-encryption.org/v1\n no bundle")
    with open_carrier(str(tmp_path / "share")) as carrier:
        carrier.put(junk, sender="a/lab", recipient="analyst")
        carrier.put(junk, sender="a/lab", recipient="analyst", name="../../escape")
    answered = cli(*houses.command("analyst", "--once"))
    assert answered.code == 0, answered.err
    assert "cannot be used: a.lab.contribution" in answered.err
    assert not list(case.folder.rglob("escape"))


def test_a_newer_table_is_contributed_when_asked(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    for role in ("analyst", *case.parties, "analyst", *case.parties):
        cli(*houses.command(role, "--once"))
    table = case.tables["a/lab"].iloc[:-5]
    table.to_csv(case.data("a/lab"), index=False)
    assert cli(*houses.command("a/lab", "--once", "--again")).code == COME_BACK
    assert cli(*houses.command("analyst", "--once")).code == 0
    assert cli(*houses.command("a/lab", "--once")).code == 0
    assert len(houses.labels("a/lab")) == 25


def test_two_folders_of_one_party_send_once_each_and_the_later_one_counts(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    for role in ("analyst", *case.parties):
        cli(*houses.command(role, "--once"))
    first = houses.home("a/lab")
    second = first.with_name("second")
    shutil.copytree(case.private("a/lab").path, second / "private" / "a.lab")
    newer = case.data("a/lab").with_name("newer.csv")  # of the same table both would send the same
    case.tables["a/lab"].iloc[:-5].to_csv(newer, index=False)
    later = houses.command("a/lab", "--once", data=newer)
    twice = [
        houses.command("a/lab", "--once"),
        [second if part == first else part for part in later],
    ]
    for _ in range(2):
        told = [cli(*command).err for command in twice]
    assert ["did not leave from" in " ".join(text.split()) for text in told] == [True, False]
    assert len(list((tmp_path / "share").glob("a.lab-*/analyst-*/*/complete.json"))) == 2
    assert cli(*houses.command("analyst", "--once")).code == 0
    assert [cli(*command).code for command in twice] == [COME_BACK, 0]
    assert (second / "labels.csv").exists()


def test_the_analyst_goes_on_with_those_who_are_there(new_case, cli, tmp_path):
    case = new_case(grid={"missing_party": "go on"})
    houses = Houses(case, tmp_path / "share")
    for role in ("analyst", "a/lab", "a/life", "b/lab"):
        cli(*houses.command(role, "--once"))
    waiting = cli(*houses.command("analyst", "--once"))
    assert "waiting for b/life" in waiting.err
    assert cli(*houses.command("analyst", "--once", "--now")).code == 0
    assert cli(*houses.command("a/lab", "--once")).code == 0


def test_events_are_lines_of_json(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    cli(*houses.command("analyst", "--once"))
    result = cli(*houses.command("a/lab", "--once", "--json"))
    events = [json.loads(line) for line in result.out.splitlines()]
    assert [e["event"] for e in events] == ["contributed", "waiting"]
    assert not any("A-00" in line for line in result.out.splitlines())


def test_before_there_is_a_study_or_a_place_one_comes_back(case, cli, tmp_path):
    houses = Houses(case, tmp_path / "share")
    early = cli(*houses.command("a/lab", "--once"))
    assert (early.code, "waiting for a study" in early.err) == (COME_BACK, True)
    shutil.rmtree(tmp_path / "share")
    gone = cli(*houses.command("a/lab", "--once"))
    assert (gone.code, "Make it, or mount it" in " ".join(gone.err.split())) == (COME_BACK, True)


def test_a_stream_takes_every_file_of_a_folder_as_a_window(of_kind, cli, tmp_path):
    case = of_kind("stream")
    houses, weeks = Houses(case, tmp_path / "share"), {}
    cli(*houses.command("analyst", "--once"))
    for party in case.parties:
        weeks[party] = houses.home(party) / "weeks"
        weeks[party].mkdir()
        table = case.tables[party]
        table.iloc[:15].to_csv(weeks[party] / "week0.csv", index=False)
        assert cli(*houses.command(party, "--once", data=weeks[party])).code == COME_BACK
    assert cli(*houses.command("analyst", "--once")).code == 0
    for party in case.parties:
        case.tables[party].iloc[15:].to_csv(weeks[party] / "week1.csv", index=False)
        assert cli(*houses.command(party, "--once", data=weeks[party])).code == 0
        assert (houses.home(party) / "week0.labels.csv").exists()
    assert cli(*houses.command("analyst", "--once")).code == 0
    for party in case.parties:
        assert cli(*houses.command(party, "--once", data=weeks[party])).code == 0
        got = pd.read_csv(houses.home(party) / "week1.labels.csv", dtype="string")
        assert (len(got), by_stream(case, cli, party, weeks)) == (len(got), got["cluster"].tolist())


def by_stream(case, cli, party, weeks):
    """Take the same windows through ``consilience stream``, and return the clusters of week 1."""
    out = case.folder / "by-hand"
    if not out.exists():
        for week in (0, 1):
            for name, folder in weeks.items():
                own = ("--as", name, "--data", folder / f"week{week}.csv", "--id", ID, "--yes")
                done = cli("stream", case.path, *own, "--window", week, "--out", out)
                assert done.code == 0, done.err
            nodes = sorted(out.glob(f"*.{week}.nodes"))
            assert cli("stream", case.path, *nodes, "--as", "analyst", "--out", out).code == 0
    own = ("--as", party, "--data", weeks[party] / "week1.csv", "--id", ID)
    labels = out / f"{party.replace('/', '.')}.csv"
    answer = out / f"{party.replace('/', '.')}.clusters"
    done = cli("stream", case.path, answer, *own, "--out", labels)
    assert done.code == 0, done.err
    return pd.read_csv(labels, dtype="string")["cluster"].tolist()


def test_peers_agree_by_rounds_through_the_place(of_kind, cli, tmp_path):
    case = of_kind("peers")
    houses = Houses(case, tmp_path / "share")
    shutil.copy(case.path, houses.home(case.parties[0]) / "study.toml")
    codes = {}
    for _ in range(12):
        for party in case.parties:
            if codes.get(party) != 0:
                result = cli(*houses.command(party, "--once"))
                codes[party] = result.code
                assert result.code in (0, COME_BACK), result.err
    assert set(codes.values()) == {0}
    by_peer, rounds = case.folder / "rounds", 0
    done = set()
    while len(done) < len(case.parties) and rounds < 12:
        rounds += 1
        for party in case.parties:
            labels = by_peer / f"{party.replace('/', '.')}.csv"
            own = ("--as", party, "--data", case.data(party), "--id", ID, "--yes")
            assert cli("peer", case.path, *own, "--files", by_peer, "--out", labels).code == 0
            done |= {party} if labels.exists() else set()
    for party in case.parties:
        labels = by_peer / f"{party.replace('/', '.')}.csv"
        assert (houses.home(party) / "labels.csv").read_bytes() == labels.read_bytes()


def test_ids_are_matched_on_the_way(new_case, cli, tmp_path):
    pytest.importorskip("rbcl", reason="needs the extra 'psi'")
    case = new_case(rows=("a",), columns=("lab", "life", "bills"), n=(30,), ids={"match": "psi"})
    houses = Houses(case, tmp_path / "share")
    for party in case.parties:
        (houses.home(party) / "private" / party.replace("/", ".") / "row.key").unlink()
    assert cli(*houses.command("analyst", "--once")).code == COME_BACK
    early = cli(*houses.command("a/life", "--once"))
    assert (early.code, "ids that a/lab passes on" in early.err) == (COME_BACK, True)
    for _ in range(3):
        for party in case.parties:
            result = cli(*houses.command(party, "--once"))
            assert result.code == COME_BACK, result.err
    letters = sorted(path.name for path in houses.home("a/life").glob("*.match"))
    assert letters == ["a.bills.2.match", "a.bills.5.match"]
    assert cli(*houses.command("analyst", "--once")).code == 0
    for party in case.parties:
        assert cli(*houses.command(party, "--once")).code == 0
    by_psi = houses.labels("a/lab")["cluster"]
    assert by_psi.notna().all()
    assert by_psi.nunique() == 3
