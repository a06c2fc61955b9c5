from benchmarks.attacks.messages import measure_messages


def test_labels_tell_more_than_nothing(make_study):
    found = dict(measure_messages(make_study(2000, 4, apart=0.0, mixed=False), 0))
    cell = ("Labels and ranks", "small", "1 in 20 rows known")
    assert found[*cell, "nothing", "median R2"] <= 0
    assert found[*cell, "labels", "median R2"] > 0.2
