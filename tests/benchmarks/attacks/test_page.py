import numpy as np
import pandas as pd

from benchmarks.attacks.page import write_pages
from benchmarks.attacks.studies import Study
from benchmarks.pages import END, start_of
from consilience.privacy.audits import count_columns


def results():
    columns = ["table", "data", "setting", "method", "metric", "published", "ours", "gap"]
    nan = float("nan")
    rows = [
        ("Collusion", "wine", "m-1", "least squares", "median R2", 0.989, 0.95, -0.039),
        ("Collusion", "wine", "m-1", "least squares, wrong anchor", "median R2", nan, 0.1, nan),
    ]
    for table in ("Anchor rows", "Analyst alone", "Known rows", "Linkage", "Labels and ranks"):
        for metric in ("median R2", "top-1"):
            rows.append((table, "wine", "m-1, r = n", "a method", metric, nan, 0.5, nan))
    for setting in ("default", "paper mode"):
        for units in ("", ", scaled by bounds"):
            for metric in ("median R2", "top-1", "ARI with pooled"):
                for table in ("Defaults", "Defences"):
                    value = 0.9 if setting == "default" else 1.0
                    rows.append((table, "wine", setting + units, "any", metric, nan, value, nan))
    return pd.DataFrame(rows, columns=columns).assign(ours_spread=0.1, trials=5)


def test_pages_show_intervals_and_fill_the_tables_of_other_pages(tmp_path):
    X = np.arange(8.0).reshape(4, 2) ** 2
    study = Study("wine", X, np.zeros(4, dtype=np.int64), count_columns(X), "standardised")
    (tmp_path / "docs").mkdir()
    model, readme = tmp_path / "docs" / "threat-model.md", tmp_path / "README.md"
    security = tmp_path / "SECURITY.md"
    for path in (model, readme, security):
        path.write_text(f"before\n{start_of('attacks')}\nstale\n{END}\nafter\n")
    page, *others = write_pages(results(), [study], {"wine": 1, "defaults": 5}, tmp_path)
    assert others == [model, readme, security]
    for path in others:
        text = path.read_text()
        assert "stale" not in text
        assert text.startswith("before")
        assert text.endswith("after\n")
    assert "| wine, default study | 0.900 | 0.900 | 90% |" in readme.read_text()
    text = page.read_text()
    assert "0.900 ± 0.139" in text
    assert "## In words" in text
    assert "over 5 trials" in text
