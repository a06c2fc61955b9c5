from consilience.desk.seat import OFFERED
from consilience.desk.views.study import show_keys, show_ledger, show_study


def test_the_columns_are_those_of_the_study(seat):
    shown = show_study(seat)
    assert [c["name"] for c in shown["columns"] if c["group"] == "lab"][:2] == [
        "age",
        "pressure (mmHg)",
    ]
    assert shown["columns"][0]["high"] == 120
    assert not shown["editable"]


def test_a_version_with_other_keys_is_grave(seat, case):
    text = case.path.read_text(encoding="utf-8")
    seat.kept("").mkdir()
    first = case.study.public_keys("a/lab").sign
    other = case.study.public_keys("b/lab").sign
    seat.kept(OFFERED).write_text(text.replace(first, other), encoding="utf-8")
    offered = show_study(seat)["offered"]
    assert offered["grave"]
    assert "other keys of a/lab" in offered["lines"][0]


def test_digits_are_those_others_see(seat, case):
    shown = show_keys(seat)
    assert shown["own"] == dict(shown["known"])["a/lab"]
    assert {circle["kind"] for circle in shown["circles"]} == {"row", "column"}
    assert all(circle["held"] for circle in shown["circles"])


def test_the_ledger_shows_the_latest_first(seat, cli, case):
    assert cli(*case.contribute_command("a/lab", "--by", "Dr. Novak")).code == 0
    left, consent = show_ledger(seat)["entries"]
    assert (left["what"], left["to"], consent["by"]) == ("contribution", "analyst", "Dr. Novak")
    assert "members" not in left["more"]
