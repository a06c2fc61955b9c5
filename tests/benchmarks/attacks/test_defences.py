from benchmarks.attacks.defences import defences, measure_defences


def test_fewer_dimensions_hide_more_and_rotation_hides_nothing(make_study):
    study = make_study(120, 6, apart=3.0, mixed=False)
    found = list(measure_defences(study, 0))
    assert {cell[2] for cell, _ in found} == set(defences(study, 0))
    r2 = {cell[2]: value for cell, value in found if cell[4] == "median R2"}
    assert r2["paper mode"] > r2["1/2 of the dimensions"] > r2["1/4 of the dimensions"]
    assert abs(r2["1/2, rotated"] - r2["1/2 of the dimensions"]) < 0.05
