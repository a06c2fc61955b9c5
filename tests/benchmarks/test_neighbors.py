import pandas as pd

from benchmarks.neighbors import MEASURES, TRIED, measure, tables


def test_a_study_is_compared_with_the_pooled_rows_at_each_number_of_neighbours():
    found = list(measure("wine", "", 1))
    assert [row[:3] for row in found] == [["wine", n, 0] for n in TRIED]
    assert all(agreement > 0.7 and nmi < 0.03 for _, _, _, agreement, nmi, _, _ in found)


def test_tables_have_both_halves_and_count_right_numbers():
    lines = [[name, n, 0, 0.5, 0.0, 0.25, 0.75] for name in ("wine", "yeast") for n in TRIED]
    results = pd.DataFrame(lines, columns=["data", "neighbors", "trial", *MEASURES])
    numbers = [["held out", "long", "moons", 2, 2, 2, 1], ["held out", "long", "rings", 2, 2, 1, 1]]
    chosen = pd.DataFrame(numbers, columns=["half", "kind", "data", "k", *map(str, TRIED)])
    text = tables(results, chosen)
    assert "| chosen on | wine |" in text
    assert "| held out | yeast |" in text
    assert "| held out | long | 2 | 2 | 1 | 0 |" in text
