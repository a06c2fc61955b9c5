import numpy as np
import pandas as pd

from consilience.bench.attack_studies import Study
from consilience.bench.attacks_page import write_pages
from consilience.bench.page_tables import END, start_of
from consilience.privacy.audits import count_columns


def results():
    columns = ["table", "data", "setting", "method", "metric", "published", "ours", "gap"]
    nan = float("nan")
    rows = [
        ("Collusion", "iris", "m-1", "least squares", "median R2", 0.989, 0.95, -0.039),
        ("Collusion", "iris", "m-1", "least squares, wrong anchor", "median R2", nan, 0.1, nan),
    ]
    for table in ("m + 1 anchors", "Analyst alone", "Known rows", "Linkage", "Labels and ranks"):
        for metric in ("median R2", "top-1"):
            rows.append((table, "iris", "m-1", "a method", metric, nan, 0.5, nan))
    for setting in ("default", "paper mode"):
        for units in ("", ", scaled by bounds"):
            for metric in ("median R2", "top-1", "ARI with pooled"):
                for table in ("Defaults", "Defences"):
                    value = 0.9 if setting == "default" else 1.0
                    rows.append((table, "iris", setting + units, "any", metric, nan, value, nan))
    return pd.DataFrame(rows, columns=columns).assign(ours_spread=0.1, trials=5)


def test_pages_say_what_failed_and_fill_the_table_of_the_threat_model(tmp_path):
    X = np.arange(8.0).reshape(4, 2) ** 2
    study = Study("iris", X, np.zeros(4, dtype=np.int64), count_columns(X), "standardised")
    model = tmp_path / "threat-model.md"
    model.write_text(f"before\n{start_of('attacks')}\nstale\n{END}\nafter\n")
    page, again = write_pages(results(), [study], {"iris": 1}, tmp_path)
    text = page.read_text()
    assert "0 of 1 lie within .03; the largest gap is -0.039 (iris" in text
    assert "Controls: 0 of 1 at or below 0, the largest +0.100; 0 above 0 by more" in text
    assert "agreement on 0 of 1 sets; the least is 0.900 (iris)" in text
    assert again == model
    assert "stale" not in model.read_text()
    assert model.read_text().startswith("before")
    assert model.read_text().endswith("after\n")
