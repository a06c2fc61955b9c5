from benchmarks import how_many


def test_sets_are_as_many_as_said_and_differ_between_halves():
    for kind, count in (("round", 36), ("odd", 17), ("long", 12)):
        first, second = (list(how_many.KINDS[kind](seed)) for seed in how_many.HALVES.values())
        assert len(first) == len(second) == count
        assert [(name, k) for name, k, _ in first] == [(name, k) for name, k, _ in second]
        assert not any((a == b).all() for (*_, a), (*_, b) in zip(first, second, strict=True))


def test_old_rules_never_find_one_cluster_and_find_two():
    name, k, X = next(how_many.long_sets(0))
    assert (name, k) == ("moons, noise 0.05", 2)
    assert how_many.relative_difference(X) == 2
    _, _, one = next(how_many.round_sets(0))
    assert how_many.best_silhouette(one) > 1


def test_table_counts_what_was_right(tmp_path, capsys):
    rows = ["half,kind,data,k,k-means before,k-means,spectral before,spectral"]
    rows += ["held out,round,a,3,2,3,2,3", "held out,round,b,1,2,1,2,2"]
    (tmp_path / "found.csv").write_text("\n".join(rows))
    how_many.tables(str(tmp_path / "found.csv"))
    assert "| held out, round: 2 | 0 | 2 | 0 | 1 |" in capsys.readouterr().out
