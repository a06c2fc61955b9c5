import pandas as pd

from benchmarks.attacks.worth import SETS, main, measure, read


def test_rounding_hides_exact_rows_and_not_what_is_rebuilt_nearly():
    plain, rounded = ({f.attack: f for f in measure(read("wine"), r)} for r in (None, 2.0**-6))
    for attack in ("decoding", "known rows, decoded"):
        assert plain[attack].decoded > 0.9 > 0.1 > rounded[attack].decoded
    near = "collusion with prior"
    assert abs(plain[near].median_r2.mean - rounded[near].median_r2.mean) < 0.05


def test_every_set_is_a_table_without_constant_columns():
    for name in SETS:
        assert (read(name).std(axis=0) > 0).all()


def test_results_are_a_table(capsys):
    main(["wine"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 13
    assert all(line.count(",") >= lines[0].count(",") for line in lines)
    assert pd.Series(lines[1:]).str.endswith(("red", "amber", "green")).all()
