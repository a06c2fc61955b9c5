import numpy as np

from consilience.datasets.patients import patients


def test_numbers_have_the_digits_a_laboratory_prints():
    table = patients(200, random_state=0)
    for name, decimals in {"age": 0, "bmi": 1, "creatinine": 2, "platelets": 0}.items():
        np.testing.assert_array_equal(table[name], table[name].round(decimals))
        assert table[name].nunique() > 20


def test_the_same_seed_draws_the_same_patients():
    assert patients(50, random_state=3).equals(patients(50, random_state=3))
    assert not patients(50, random_state=3).equals(patients(50, random_state=4))


def test_flags_are_zero_or_one_and_hiv_is_rare():
    table = patients(1_000, random_state=0)
    assert set(np.unique(table[["male", "smoker", "diabetes", "hiv"]])) == {0.0, 1.0}
    assert table["hiv"].sum() == 30
