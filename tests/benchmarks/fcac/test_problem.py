import numpy as np
import pandas as pd

from benchmarks.fcac.problem import file_of, find_problem, load_set


def write(folder, name, n=120):
    y = np.arange(n) % 2
    X = np.random.default_rng(0).normal(size=(n, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(label=y)
    frame.to_csv(folder / f"{name}.csv.gz", index=False)


def test_noise_stays_out_of_the_table(tmp_path):
    write(tmp_path, "phoneme")
    before = load_set("phoneme", tmp_path).X.copy()
    noisy = find_problem("phoneme", tmp_path, "iid", 0, 5.0)
    clean = find_problem("phoneme", tmp_path, "iid", 0, None)
    np.testing.assert_array_equal(noisy.clean, clean.X)
    np.testing.assert_array_equal(load_set("phoneme", tmp_path).X, before)


def test_rows_in_the_published_order_are_preferred_where_they_are_at_hand(tmp_path):
    write(tmp_path, "pendigits")
    assert file_of("pendigits", tmp_path) == "pendigits"
    write(tmp_path, "pendigits_openml")
    assert file_of("pendigits", tmp_path) == "pendigits_openml"
    assert file_of("phoneme", tmp_path) == "phoneme"
