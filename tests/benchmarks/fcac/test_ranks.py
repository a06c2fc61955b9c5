import numpy as np
import pytest

from benchmarks.fcac.ranks import compare_ranks, critical_difference, draw_diagram


def test_critical_difference_of_the_book():
    # Demsar's table: q 2.728 for five methods at 0.05
    assert critical_difference(5, 30) == pytest.approx(2.728 * np.sqrt(5 * 6 / (6 * 30)), abs=1e-3)


def test_ties_share_a_rank():
    result = compare_ranks(np.array([[0.5, 0.5, 0.1]] * 4), ["a", "b", "c"])
    assert result.ranks == {"a": 1.5, "b": 1.5, "c": 3.0}


def test_equal_methods_are_not_told_apart():
    scores = np.random.default_rng(0).normal(size=(40, 4))
    result = compare_ranks(scores, list("abcd"))
    assert result.p_value > 0.01
    assert max(result.ranks.values()) - min(result.ranks.values()) < result.critical_difference


def test_two_methods_have_ranks_but_no_friedman_test():
    result = compare_ranks(np.array([[0.2, 0.1], [0.3, 0.1]]), ["a", "b"])
    assert result.ranks == {"a": 1.0, "b": 2.0}
    assert np.isnan(result.p_value)


def test_diagram_is_drawn(tmp_path):
    result = compare_ranks(np.random.default_rng(0).normal(size=(9, 3)), list("abc"))
    path = draw_diagram({"all": result}, tmp_path / "images" / "ranks.png")
    assert path.read_bytes().startswith(b"\x89PNG")
