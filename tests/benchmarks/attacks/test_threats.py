import pandas as pd

from benchmarks.attacks.threats import threat_table


def test_cells_are_ranges_over_data_sets_and_gaps_stay_visible():
    columns = ["table", "data", "setting", "method", "metric", "ours"]
    rows = [
        ("Collusion", data, "m-1", "least squares", "median R2", value)
        for data, value in (("iris", 0.98), ("wine", 0.995), ("adult", float("nan")))
    ]
    table = threat_table(pd.DataFrame(rows, columns=columns))
    first = table.iloc[0]
    assert first["rebuilds (median R2)"] == "0.98 to 0.99"
    assert first["then rebuilds"] == "—"
