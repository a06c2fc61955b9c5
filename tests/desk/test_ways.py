"""Every kind of study, walked at desks from the table to its result, file by file."""

import pandas as pd
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from conftest import ID
from consilience.cli.desk import perform
from consilience.desk.seat import Seat
from consilience.desk.steps import next_step, steps_of
from consilience.desk.ways import WAYS, left_now, way_of, window_of
from consilience.study.method import KINDS, method_of_kind
from consilience.study.study import ANALYST
from desk_client import entered, post, upload, wait
from desks import TABLE, lay_seats

MOST_ROUNDS = 40


class Town:
    """A seat for every role of a study, in the folders of one desk."""

    def __init__(self, case, root):
        self.case, self.root = case, root
        lay_seats(case, root)
        self.client = entered(root, perform)

    @staticmethod
    def plain(role):
        return role.replace("/", "-")

    def seat(self, role):
        """Return the seat of a role as it is now."""
        return Seat(self.plain(role), self.root / self.plain(role))

    def at(self, role):
        return f"{self.client.home}/s/{self.plain(role)}"

    def give_table(self, role, data):
        at = self.at(role)
        assert upload(self.client, f"{at}/upload/table", "table.csv", data).status_code == 200
        post(self.client, f"{at}/change/table", file=TABLE, id_column=ID)

    def act(self, role, action, **fields):
        """Press a button, wait for its command, and look at the page it leads to."""
        answer = post(self.client, f"{self.at(role)}/do/{action}", **fields)
        jobs = wait(self.client)
        page = self.client.get(answer.headers["location"])
        assert page.status_code == 200
        refused = [(job.command.shown, job.last) for job in jobs if job.state == "refused"]
        assert not refused
        assert 'role="alert"' not in page.text
        return page.text

    def contribute(self, role):
        self.act(role, "contribute", by="Dr. Novak", agreed="yes")

    def carry(self):
        """Bring every file that left to whom it is for, by hand."""
        for role in self.seat(self.case.parties[0]).roles:
            seat = self.seat(role)
            for entry in seat.left():
                data = (seat.path / entry["file"]).read_bytes()
                to = f"{self.at(entry['to'])}/upload/letter"
                if entry["to"] != role:
                    assert upload(self.client, to, entry["file"], data).status_code == 200

    def labels(self, role):
        return pd.read_csv(self.seat(role).path / "labels.csv", dtype=str)


@pytest.fixture
def town(of_kind, tmp_path):
    """Return the desks of a study of a kind."""

    def make(kind):
        columns = {} if kind in ("peers", "stream", "summaries") else {"columns": ("lab",)}
        return Town(of_kind(kind, **columns), tmp_path / "desks")

    return make


def test_every_kind_has_a_way():
    assert {method_of_kind(kind).verb for kind in KINDS} == set(WAYS)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if method_of_kind(kind).verb != "peer"])
def test_a_study_with_an_analyst_is_walked_to_its_end(town, kind):
    town = town(kind)
    party = town.case.parties[0]
    assert "May it leave?" in town.act(party, "rehearse")
    for other in town.case.parties:
        town.contribute(other)
    assert next_step(town.seat(party)).page == "result"
    town.carry()
    town.act(ANALYST, "analyse")
    assert next_step(town.seat(ANALYST)) is None
    town.carry()
    assert "Download labels.csv" in town.act(party, "label")
    assert len(town.labels(party)) > 1
    assert next_step(town.seat(party)) is None


def test_peers_go_from_round_to_round_by_hand(town):
    town = town("peers")
    one, other = peers = town.case.parties
    assert town.seat(one).roles == list(peers)
    assert "its own clusters and ranks" in town.act(one, "rehearse")
    for peer in peers:
        town.contribute(peer)
    for _ in range(MOST_ROUNDS):
        if all((town.seat(peer).path / "labels.csv").exists() for peer in peers):
            break
        town.carry()
        for peer in peers:
            town.act(peer, "label")
    first, second = (town.labels(peer).set_index(ID)["cluster"] for peer in (one, other))
    assert first.nunique() > 1
    pd.testing.assert_series_equal(first.sort_index(), second.sort_index())
    assert next_step(town.seat(one)) is None
    consents = [e["by"] for e in town.seat(one).entries if e["what"] == "consent"]
    assert consents == ["Dr. Novak"]


def test_every_table_of_a_stream_is_a_window_of_its_own(town):
    town = town("stream")
    party = town.case.parties[0]
    first = town.case.data(party).read_bytes()
    assert window_of(town.seat(party)) == 0
    town.contribute(party)
    assert left_now(town.seat(party))
    town.contribute(party)  # the same table is the same window
    header, *rows = first.splitlines(keepends=True)
    town.give_table(party, header + b"".join(rows[:12]))
    assert window_of(town.seat(party)) == 1
    assert not left_now(town.seat(party))
    town.contribute(party)
    windows = [entry["window"] for entry in town.seat(party).left("window")]
    assert windows == [0, 1]
    assert way_of(town.seat(party)).entry == "window"


def test_ids_are_matched_at_the_desk_where_holders_share_no_key(new_case, tmp_path):
    case = new_case(rows=("a",), n=(30,), ids={"match": "psi"})
    for key in case.folder.glob("private/*/row.key"):
        key.unlink()
    town = Town(case, tmp_path / "desks")
    lab, life = case.parties
    pages = [step.page for step in steps_of(town.seat(lab))]
    assert pages == ["study", "keys", "table", "match", "leave", "result"]
    assert "match" not in [step.page for step in steps_of(town.seat(ANALYST))]
    assert said(town.seat(lab)) == "Begin: send your ids, blinded"
    assert said(town.seat(life)) == "Waits for ids that a/lab passes on"
    for party in (lab, life, lab, life):
        town.act(party, "match", by="Dr. Novak", agreed="yes")
        town.carry()
    assert said(town.seat(lab)) == said(town.seat(life)) == "Your rows have their names"
    for party in (lab, life):
        town.contribute(party)
    town.carry()
    town.act(ANALYST, "analyse")
    town.carry()
    town.act(lab, "label")
    assert town.labels(lab)["cluster"].nunique() == 3


def said(seat):
    return next(step.said for step in steps_of(seat) if step.page == "match")
