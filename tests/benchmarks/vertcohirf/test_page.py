import re

import pytest

pytest.importorskip("optuna", reason="needs the extra 'dev'")

from benchmarks.tables import Trials, compare, published
from benchmarks.vertcohirf.methods import MISREAD
from benchmarks.vertcohirf.page import SHUFFLED, write_page


def measured():
    """All cells of the paper, k-means alone better than the rest, and the figures."""
    trials, reference = Trials(), published("vertcohirf")
    for cell in reference.drop(columns=["published", "spread"]).itertuples(index=False):
        for _ in range(4 if cell.method == "DPFMPS" and cell.table == "Table 5" else 5):
            trials.add(cell, 0.9 if cell.method == "k-means alone" else 0.5)
    for method, value in (("VertCoHiRF(x)", 0.3), ("Distr.KMeans", 0.1)):
        trials.add(("Table 5", "alizadeh-2000-v2", SHUFFLED, method, "ARI"), value)
    trials.add(("Table 13", "nursery", "3 peers", MISREAD, "ARI"), 0.2)
    for attack, value in (("none", 0.8), ("random", 0.7)):
        for table in ("Figure 1", "Figure 1, settings kept"):
            trials.add((table, "simplex", "std 0.1", f"attack: {attack}", "ARI"), value)
    for n_peers in (2, 6):
        cell = ("Figure 4", "alizadeh-2000-v2", f"{n_peers} peers")
        trials.add((*cell, "VertCoHiRF(SC-SRGF)", "ARI"), 1 / n_peers)
        trials.add((*cell, "Distr.KMeans", "ARI"), 0.3)
    return compare(trials.summary(), reference)


def test_the_page_says_who_wins_and_what_failed(tmp_path):
    *pictures, page = write_page(measured(), 20, tmp_path)
    assert [p.suffix for p in pictures] == [".svg", ".svg"]
    text = page.read_text()
    (line,) = re.findall(r"^\| alizadeh-2000-v2 \| .*:.*$", text, re.MULTILINE)
    assert "-0.400: VertCoHiRF(SC-SRGF) 0.500, k-means alone 0.900" in line
    assert "| the grid | nursery | Distr.KMeans | 0.198 | 0.200 | 0.500 |" in text
    assert "DPFMPS on alizadeh-2000-v2 (ARI: 4)" in text
    assert "+0.200: VertCoHiRF(x) 0.300, Distr.KMeans 0.100" in line
    assert "**Budget: 20 trials" in text
    assert "The largest fall is -0.100 (attack: random, std 0.1)" in text
    assert "here it is with\n2 peers." in text
    assert "0.500 with 2 peers, 0.167 with 6 peers, -0.333" in text
    tables = {f"Table {k}" for k in (1, *range(5, 17))}
    assert tables <= set(re.findall(r"^## (Table \d+)", text, re.MULTILINE))
