import numpy as np
from sklearn.datasets import load_wine

from benchmarks import population
from benchmarks.population import SETTINGS, TARGETS, measure


def test_halves_are_named_beforehand_and_share_nothing():
    assert not set(population.CHOSEN_ON) & set(population.HELD_OUT)
    assert sorted([*population.CHOSEN_ON, *population.HELD_OUT]) == sorted(population.SETS)


def test_every_setting_is_measured_for_both_targets():
    X, y = load_wine(return_X_y=True)
    for setting, n_institutions in SETTINGS.items():
        found, twice, _ = measure(X, y, 3, setting, n_institutions, 0)
        assert set(found) == set(TARGETS)
        assert -1 <= twice <= 1
        assert all(np.isfinite(figures).all() for figures in found.values())


def test_population_beats_the_middle_of_the_anchor_where_bounds_are_wide():
    X, y = load_wine(return_X_y=True)
    found, _, _ = measure(X, y, 3, "bounds ten times too wide", 5, 0)
    assert found["population"][0] > found["scaled"][0] + 0.3


def test_pages_are_written_from_the_results(tmp_path, capsys):
    population.main("", "1", "wine")
    head, *lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("chosen on,wine") for line in lines)
    others = [line.replace("chosen on,wine", "held out,other") for line in lines]
    (tmp_path / "found.csv").write_text("\n".join([head, *lines, *others]))
    population.tables(str(tmp_path / "found.csv"))
    shown = capsys.readouterr().out
    assert shown.count(": 1 sets, pooled stable on ") == 2
    assert all(f"| {setting} |" in shown for setting in SETTINGS)
