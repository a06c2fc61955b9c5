from consilience.desk.views.analyst import show_answer, show_inbox


def test_who_is_missing_is_named(seat, case):
    seat.remember(role="analyst")
    (seat.path / "arrived/by-hand").mkdir(parents=True)
    (seat.path / "arrived/by-hand/a.lab.contribution").touch()
    rows = dict(show_inbox(seat)["rows"])
    assert rows["a/lab"] == "arrived/by-hand/a.lab.contribution"
    assert rows["b/lab"] == ""


def test_a_study_of_clusters_leaves_a_choice(seat):
    seat.remember(role="analyst")
    shown = show_answer(seat)
    assert shown["explores"]
    assert shown["choices"] == []
