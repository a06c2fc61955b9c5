import pandas as pd

from benchmarks.dc_clustering import page


def test_the_page_in_docs_is_what_the_results_on_record_say(on_record, docs, tmp_path):
    results = pd.read_csv(on_record / "dc-clustering.csv")
    trials = results[results.table == "Table 4"].groupby("data").trials.max()
    picture, written = page.write(results, trials.to_dict(), tmp_path)
    assert picture == tmp_path / "images" / "dc-clustering.png"
    text = written.read_text(encoding="utf-8")
    assert text == (docs / "bench-dc-clustering.md").read_text(encoding="utf-8")


def test_the_page_says_when_the_average_of_the_paper_is_beaten(on_record, tmp_path):
    results = pd.read_csv(on_record / "dc-clustering.csv")
    results.loc[results.table == "Table 5", "ours"] = 0.1
    *_, written = page.write(results, {}, tmp_path)
    text = written.read_text(encoding="utf-8")
    assert "With k-means collaboration is 0.1 % from pooled; the paper has" in text
    assert "By set:" not in text
