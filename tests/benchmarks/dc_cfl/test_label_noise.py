from benchmarks.dc_cfl.label_noise import measure


def test_exact_counts_of_large_institutions_give_their_kinds_and_noise_hides_them():
    exact, noisy = (measure(1000, epsilon, "gap", seed=1) for epsilon in (None, 0.001))
    assert exact > 0.9 > noisy + 0.4
