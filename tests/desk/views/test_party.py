import json

from consilience.desk.commands import Command
from consilience.desk.views.party import show_leave, show_result, show_table


def keep(seat, action, found):
    seat.kept("").mkdir(exist_ok=True)
    seat.keep_result(action, Command((action,)), {"found": found, "code": 0, "said": []})


def test_a_preview_is_shaded_by_column(seat):
    keep(seat, "check", {"passes": True, "faults": []})
    seat.kept("preview.csv").write_text("age,ward=a\n20,1\n40,1\n60,1\n")
    preview = show_table(seat)["preview"]
    assert preview["header"] == ["age", "ward=a"]
    assert [[shade for _, shade in row] for row in preview["rows"]] == [[0, 0], [2, 0], [4, 0]]


def test_what_is_refused_stands_first(seat):
    faults = [{"what": "b", "refused": False}, {"what": "a", "refused": True}]
    keep(seat, "check", {"passes": False, "faults": faults})
    shown = show_table(seat)
    assert [fault["what"] for fault in shown["faults"]] == ["a", "b"]
    assert shown["preview"] is None


def test_what_a_coalition_gets_is_drawn_between_nothing_and_all(seat, cli, case):
    done = cli(*case.contribute_command("a/lab", "--dry-run", "--json"))
    keep(seat, "rehearse", json.loads(done.out))
    shown = show_leave(seat)
    assert shown["leaving"]["to"] == {"analyst": case.study.public_keys("analyst").fingerprint}
    assert shown["bars"]
    assert all(0 <= share <= 1 for f in shown["bars"] for _, share, _ in f["bars"])
    assert not case.private("a/lab").ledger.entries()


def test_labels_are_counted(seat):
    (seat.path / "labels.csv").write_text("id,cluster\n1,0\n2,0\n3,\n4,1\n")
    assert show_result(seat)["sizes"]["bars"] == [("0", 2, 1.0), ("1", 1, 0.5), ("none", 1, 0.5)]
