"""The page is what the results on record say, and says who wins from the numbers."""

import pandas as pd

from benchmarks.vertcohirf import page
from benchmarks.vertcohirf.trials import SHUFFLED


def test_the_page_in_docs_is_what_the_results_on_record_say(on_record, docs, tmp_path):
    *pictures, text = page.write(pd.read_csv(on_record / "vertcohirf.csv"), 50, tmp_path)
    assert [p.name for p in pictures] == [
        f"vertcohirf{x}.png" for x in ("", "-byzantine", "-peers", "-classes", "-silhouettes")
    ]
    assert text.read_text() == (docs / "bench-vertcohirf.md").read_text()


def test_the_page_says_when_the_consensus_loses_and_what_failed(on_record, tmp_path):
    results = pd.read_csv(on_record / "vertcohirf.csv")
    results.loc[results.method == "k-means alone", "ours"] = 0.99
    results.loc[results.method.str.startswith("VertCoHiRF"), "ours"] = 0.5
    results.loc[results.method == "DPFMPS", "trials"] = 4
    *_, text = page.write(results[results.setting != SHUFFLED], 20, tmp_path)
    text = text.read_text()
    assert "| -0.490: VertCoHiRF" in text
    assert "| sets won | 6 of 6 | 0 of 6 | 0 of 6 | 0 of 0 |" in text
    assert "DPFMPS on alizadeh-2000-v2 (ARI: 4)" in text
    assert "here it is with\nnone." in text
    assert "**Budget: 20 trials" in text
