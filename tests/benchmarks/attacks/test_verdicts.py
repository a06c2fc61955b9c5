import pandas as pd

from benchmarks.attacks.verdicts import verdicts

NAN = float("nan")


def results():
    columns = ["table", "data", "setting", "method", "metric", "published", "ours", "gap"]
    r2, ari = "median R2", "ARI with pooled"
    rows = [
        ("Collusion", "iris", "m-1", "least squares", r2, 0.989, 0.95, -0.039),
        ("Collusion", "iris", "m-1", "least squares, wrong anchor", r2, NAN, 0.1, NAN),
        ("Anchor rows", "iris", "m-1, r = 100", "least squares", r2, NAN, 0.97, NAN),
        *(
            ("Defaults", "iris", setting + units, "any", ari, NAN, value, NAN)
            for units in ("", ", scaled by bounds")
            for setting, value in (("default", 0.9), ("paper mode", 1.0))
        ),
    ]
    return pd.DataFrame(rows, columns=columns).assign(ours_spread=0.1, trials=5)


def test_what_failed_is_said_with_its_figure():
    text = " ".join(verdicts(results()))
    assert "0 of 1 lie within .03; the largest gap is -0.039 (iris" in text
    assert "Controls: 0 of 1 at or below 0, the largest +0.100; 0 above 0 by more" in text
    assert "agreement on 0 of 1 sets; the least is 0.900 (iris)" in text


def test_other_numbers_of_anchor_rows_are_compared_with_the_references():
    assert "within .03 lie 1 with r = 100 (0.970)" in " ".join(verdicts(results()))
